// Purpose: what a free block holds on its way back to the heap it came from.
#pragma once

#include "malloc_checks.hpp"

namespace mallard::inline v1::detail {

class remote_block {
 public:
  explicit remote_block(remote_block* next) noexcept { set_next(next); }
  void set_next(remote_block* next) noexcept { link_ = checks::link(this, next); }
  remote_block* next() const noexcept {
    return static_cast<remote_block*>(checks::linked(this, link_));
  }

 private:
  void* link_;
};

}  // namespace mallard::inline v1::detail
