// Purpose: a resource that is used and not owned, and never null.
//
//   std::size_t longest_word(std::string_view text, mallard::resource_ref temporary) {
//     std::pmr::vector<std::string_view> words(temporary);
//     ...
//   }
//   longest_word(text, arena);  // no &, no null pointer to test for
//
// Complexity: that of a pointer, which it is. Thread-safety: as the resource.
//
// Source of the idea: RMM's resource_ref, gsl::not_null.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

class resource_ref {
 public:
  // The resource must outlive whatever uses it through this. A temporary is refused.
  resource_ref(  // NOLINT: implicit, as a reference
      std::pmr::memory_resource& resource MALLARD_LIFETIMEBOUND) noexcept
      : resource_(&resource) {}
  resource_ref(const std::pmr::memory_resource&&) = delete;
  // `resource` is not null; in builds with assertions that is checked.
  resource_ref(  // NOLINT: implicit, for what keeps a pointer
      std::pmr::memory_resource* resource MALLARD_LIFETIMEBOUND) noexcept
      : resource_(resource) {
    MALLARD_ASSERT(resource != nullptr && "a resource_ref to nothing");
  }
  resource_ref(std::nullptr_t) = delete;

  std::pmr::memory_resource* get() const noexcept { return resource_; }
  std::pmr::memory_resource& operator*() const noexcept { return *resource_; }
  std::pmr::memory_resource* operator->() const noexcept { return resource_; }
  // For all that takes a pointer: resources as their upstream, containers.
  operator std::pmr::memory_resource*() const noexcept { return resource_; }
  template <class T>
  operator std::pmr::polymorphic_allocator<T>() const noexcept {
    return resource_;
  }

  // The same resource, or one that is equal to it.
  friend bool operator==(resource_ref a, resource_ref b) noexcept {
    return *a.resource_ == *b.resource_;
  }

 private:
  std::pmr::memory_resource* resource_;
};

}  // namespace mallard::inline v1
