// Purpose: binds a container to a resource by type, so that allocation is inlined into it.
//
//   mallard::multipool_resource pool;
//   mallard::allocator<int, mallard::multipool_resource> a{&pool};
//   std::vector<int, decltype(a)> v{a};      // or just: v{&pool}, or v{pool}
//   v.push_back(1);
//   static_assert(sizeof a == sizeof(void*));
//
// Complexity: as the resource. Thread-safety: as the resource.
//
// Binding by abstract base needs nothing from here: every resource is a
// `std::pmr::memory_resource`, for `std::pmr::polymorphic_allocator` and the `std::pmr` containers.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "mallard/bindable.hpp"
#include "mallard/detail/bindings/explain.hpp"
#include "mallard/detail/failure.hpp"

namespace mallard::inline v1 {

// An allocator never changes its resource. As with `std::pmr::polymorphic_allocator`, no
// propagation trait is set: copying between resources copies the elements, and swapping containers
// with unequal allocators is undefined. Unlike there, a copy of a container uses its original's
// resource, since there is no default resource.
template <class T, class Resource>
class allocator {
 public:
  using value_type = T;
  using resource_type = Resource;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;

  // There is no default resource: where one is needed, compiling stops with the reason.
  template <class Bound = Resource>
  allocator() noexcept : resource_(nullptr) {
    static_assert(detail::has_a_default<Bound>, MALLARD_PASS_THE_RESOURCE);
  }
  // `resource` must outlive every container that got this allocator or a copy of it.
  allocator(Resource* resource MALLARD_LIFETIMEBOUND) noexcept  // NOLINT: implicit, as in pmr
      : resource_(resource) {}
  allocator(Resource& resource MALLARD_LIFETIMEBOUND) noexcept  // NOLINT: implicit, as the other
      : resource_(&resource) {}
  // A resource of another type does not compile; the error names both types.
  template <class Given>
    requires(!std::convertible_to<Given*, Resource*> && bindable_resource<Given>)
  allocator(Given*) noexcept : resource_(nullptr) {  // NOLINT: implicit, as the other
    detail::given_and_bound<Given, Resource>::explain();
  }
  template <class Given>
    requires(!std::convertible_to<Given*, Resource*> && bindable_resource<Given>)
  allocator(Given&) noexcept : resource_(nullptr) {  // NOLINT: implicit, as the other
    detail::given_and_bound<Given, Resource>::explain();
  }
  template <class U>
  allocator(const allocator<U, Resource>& other) noexcept : resource_(other.resource()) {}

  // Effects: allocates room for `n` objects.
  // Errors: `std::bad_array_new_length` if their size does not fit, or what the resource throws.
  [[nodiscard]] T* allocate(std::size_t n) {
    static_assert(bindable_resource<Resource>);
    if (n > ~std::size_t{0} / sizeof(T)) detail::fail_array_length();
    return static_cast<T*>(resource_->allocate(n * sizeof(T), alignof(T)));
  }

  void deallocate(T* p, std::size_t n) noexcept {
    resource_->deallocate(p, n * sizeof(T), alignof(T));
  }

  Resource* resource() const noexcept { return resource_; }

  template <class U>
  bool operator==(const allocator<U, Resource>& other) const noexcept {
    return resource_ == other.resource();
  }

 private:
  Resource* resource_;
};

// `mallard::allocator a{&pool};` and `a{pool}` allocate bytes and convert to any value type.
template <class Resource>
allocator(Resource*) -> allocator<std::byte, Resource>;
template <bindable_resource Resource>
allocator(Resource&) -> allocator<std::byte, Resource>;

}  // namespace mallard::inline v1
