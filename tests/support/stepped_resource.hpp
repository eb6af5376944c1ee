// A resource for many threads as what programs of threads that take turns run on.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "support/require.hpp"
#include "support/stepped_program.hpp"

namespace mallard_test {

template <class Resource>
class stepped_resource final : public stepped_subject {
 public:
  // The last two are in no slab.
  static constexpr std::array<std::size_t, 9> sizes = {1,     16,    48,     64,     112,
                                                       1'000, 5'000, 40'000, 300'000};

  void* allocate(std::size_t bytes) override { return resource_.allocate(bytes); }
  void deallocate(void* p, std::size_t bytes) override { resource_.deallocate(p, bytes); }
  void* resize(void* p, std::size_t old, std::size_t bytes) override {
    void* const moved = resource_.allocate(bytes);
    std::memcpy(moved, p, std::min(old, bytes));
    resource_.deallocate(p, old);
    return moved;
  }
  void trim() override { resource_.trim(); }

  // The threads have ended: all slabs are this one's or nobody's, and empty, so they can go back.
  void expect_nothing_lost() override {
    resource_.trim();
    const auto now = resource_.stats();
    require(now.in_use_bytes == 0, "bytes in use though no block is: ", now.in_use_bytes);
    require(now.slabs == 0, "slabs kept though no block is in use: ", now.slabs);
  }

 private:
  Resource resource_;
};

}  // namespace mallard_test
