// Purpose: a reference to a resource that is used but not owned, and never null.
//
//   const auto sum_of_squares = [](int n, mallard::resource_ref temporary) {
//     std::pmr::vector<int> squares(temporary);
//     for (int i = 0; i < n; ++i) squares.push_back(i * i);
//     return std::accumulate(squares.begin(), squares.end(), 0);
//   };
//   mallard::monotonic_resource arena;
//   int sum = sum_of_squares(10, arena);  // no &, no null pointer to test for
//
// Complexity: that of a pointer. Thread-safety: as the resource.
//
// Source of the idea: RMM's resource_ref, gsl::not_null.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>
#include <type_traits>

#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/bump_resource.hpp"

namespace mallard::inline v1 {

class resource_ref {
 public:
  // The resource must outlive whatever uses it through this. Temporaries are refused.
  resource_ref(  // NOLINT: implicit, as a reference
      std::pmr::memory_resource& resource MALLARD_LIFETIMEBOUND) noexcept
      : resource_(&resource) {}
  resource_ref(const std::pmr::memory_resource&&) = delete;
  // `resource` is not null; builds with assertions check that.
  MALLARD_BY_LEVEL resource_ref(  // NOLINT: implicit, for what keeps a pointer
      std::pmr::memory_resource* resource MALLARD_LIFETIMEBOUND) noexcept
      : resource_(resource) {
    MALLARD_ASSERT(resource != nullptr && "a resource_ref to nothing");
  }
  resource_ref(std::nullptr_t) = delete;

  std::pmr::memory_resource* get() const noexcept { return resource_; }
  std::pmr::memory_resource& operator*() const noexcept { return *resource_; }
  std::pmr::memory_resource* operator->() const noexcept { return resource_; }
  // For everything that takes a pointer: resources for their upstream, containers.
  operator std::pmr::memory_resource*() const noexcept { return resource_; }
  template <class T>
  operator std::pmr::polymorphic_allocator<T>() const noexcept {
    return resource_;
  }

  // Returns: whether both are one resource, or equal ones.
  friend bool operator==(resource_ref a, resource_ref b) noexcept {
    return *a.resource_ == *b.resource_;
  }

 private:
  std::pmr::memory_resource* resource_;
};

// The upstream of a resource, as constructors take it: a pointer or a reference, never null, never
// a temporary. Given by its own type, it also tells whether it takes memory back for reuse: an
// arena does not, so a pool over one keeps what it has.
//
//   mallard::monotonic_resource arena;
//   mallard::multipool_resource pool(arena);       // or (&arena)
//   mallard::multipool_resource counted({.empty_slabs_kept = 0}, arena);
class upstream_ref {
 public:
  template <std::derived_from<std::pmr::memory_resource> R>
    requires(!std::is_const_v<R>)
  upstream_ref(R& resource) noexcept  // NOLINT: implicit, as a reference
      : resource_(&resource), takes_back_(!detail::bump_resource<R>) {}
  template <std::convertible_to<std::pmr::memory_resource*> Pointer>
  MALLARD_BY_LEVEL upstream_ref(
      Pointer resource) noexcept  // NOLINT: implicit, for what keeps a pointer
      : resource_(resource), takes_back_(!detail::bump_pointer<Pointer>) {
    MALLARD_ASSERT(resource_ != nullptr && "an upstream that is null");
  }
  // For a resource whose type does not say whether it takes memory back.
  upstream_ref(std::pmr::memory_resource& resource, bool takes_back) noexcept
      : resource_(&resource), takes_back_(takes_back) {}
  upstream_ref(const std::pmr::memory_resource&&) = delete;
  upstream_ref(std::nullptr_t) = delete;

  std::pmr::memory_resource* get() const noexcept { return resource_; }
  // Returns: whether memory given back to it may be allocated again. True if that is not known.
  bool takes_back() const noexcept { return takes_back_; }

 private:
  std::pmr::memory_resource* resource_;
  bool takes_back_;
};

}  // namespace mallard::inline v1
