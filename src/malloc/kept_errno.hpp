// Purpose: keeps errno across functions that must not change it.
#pragma once

#include <errno.h>

namespace mallard::inline v1::detail {

class kept_errno {
 public:
  kept_errno() noexcept : value_(errno) {}
  ~kept_errno() { errno = value_; }
  kept_errno(const kept_errno&) = delete;
  kept_errno& operator=(const kept_errno&) = delete;

 private:
  int value_;
};

}  // namespace mallard::inline v1::detail
