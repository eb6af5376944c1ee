// Purpose: the abstract-base binding of a resource that is written as plain, inline verbs.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

// Returns `from.allocate(bytes, alignment)`, or null where that throws.
MALLARD_API void* allocate_or_null(std::pmr::memory_resource& from, std::size_t bytes,
                                   std::size_t alignment) noexcept;

// `Derived` has `allocate` and `deallocate`, which shadow those of the base.
template <class Derived>
class by_base : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return static_cast<Derived*>(this)->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    static_cast<Derived*>(this)->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace mallard::inline v1::detail
