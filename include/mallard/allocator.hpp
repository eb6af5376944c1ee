// Purpose: binds a container to a resource by type, so that allocation is inlined into it.
//
//   mallard::multipool_resource pool;
//   mallard::allocator<int, mallard::multipool_resource> a{&pool};
//   std::vector<int, decltype(a)> v{a};      // or just: v{&pool}
//   v.push_back(1);
//   static_assert(sizeof a == sizeof(void*));
//
// Complexity: as the resource. Thread-safety: as the resource.
//
// The abstract-base binding needs nothing from here: every resource is a
// `std::pmr::memory_resource`, for `std::pmr::polymorphic_allocator` and the `std::pmr` containers.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>

namespace mallard::inline v1 {

// What a container needs of a resource bound by type.
template <class R>
concept bindable_resource = requires(R& r, void* p, std::size_t n) {
  { r.allocate(n, n) } -> std::same_as<void*>;
  r.deallocate(p, n, n);
};

// An allocator never changes its resource: like `std::pmr::polymorphic_allocator`, none of the
// propagation traits is set, so copies of containers between resources copy the elements, and
// swapping containers of unequal allocators is undefined. Unlike it, the copy of a container uses
// the same resource as its original, because there is no default resource to fall back to.
template <class T, class Resource>
class allocator {
 public:
  using value_type = T;
  using resource_type = Resource;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;

  // `resource` must outlive every container that got this allocator or a copy of it.
  allocator(Resource* resource) noexcept : resource_(resource) {}  // NOLINT: implicit, as in pmr
  template <class U>
  allocator(const allocator<U, Resource>& other) noexcept : resource_(other.resource()) {}

  // Effects: room for `n` objects.
  // Errors: `std::bad_array_new_length` when their size does not fit, or what the resource throws.
  [[nodiscard]] T* allocate(std::size_t n) {
    static_assert(bindable_resource<Resource>);
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
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

// `mallard::allocator a{&pool};` allocates bytes and converts to any value type.
template <class Resource>
allocator(Resource*) -> allocator<std::byte, Resource>;

}  // namespace mallard::inline v1
