// The malloc's engine as what programs of threads that take turns run on.
#pragma once

#include <array>
#include <cstddef>

#include "malloc/engine.hpp"
#include "malloc/malloc_heaps.hpp"
#include "support/require.hpp"
#include "support/stepped_program.hpp"

namespace malloc_test {

namespace detail = mallard::detail;

// A thread's first calls are served without a heap of its own; for this block there has to be one.
inline void have_heap() {
  detail::deallocate(detail::allocate(5'000));
}

class stepped_engine final : public mallard_test::stepped_subject {
 public:
  // Small blocks go home when they are freed elsewhere, larger ones stay; the last two are no
  // slab's.
  static constexpr std::array<std::size_t, 10> sizes = {1,     16,    48,     64,      112,
                                                        1'000, 5'000, 40'000, 300'000, 9'000'000};

  void* allocate(std::size_t bytes) override {
    void* const p = detail::allocate(bytes);
    mallard_test::require(p == nullptr || detail::usable_bytes(p) >= bytes,
                          "a block is not large enough for bytes: ", bytes);
    return p;
  }
  void deallocate(void* p, std::size_t) override { detail::deallocate(p); }
  void* resize(void* p, std::size_t, std::size_t bytes) override {
    return detail::reallocate(p, bytes);
  }
  void trim() override { detail::trim(); }

  // No heap has kept a slab, and so no block is lost on its way.
  void expect_nothing_lost() override {
    detail::trim();
    for (const detail::malloc_heap* h = detail::the_heaps.first(); h != nullptr; h = h->next) {
      mallard_test::require(h->has_no_slabs(), "a heap holds a slab though no block is in use");
    }
  }
};

}  // namespace malloc_test
