// Purpose: binds containers to the resource of a thread, so that they are as small as with
// `std::allocator`: a vector of 24 bytes, where one that holds an allocator has 32.
//
//   mallard::monotonic_resource arena;
//   mallard::thread_binding<mallard::monotonic_resource> inside(arena);  // this thread's, here
//   std::vector<int, mallard::thread_bound_allocator<int, mallard::monotonic_resource>> v;
//   v.push_back(1);
//   static_assert(sizeof v == sizeof(std::vector<int>));
//
// A container may only allocate and free while the thread is bound to the resource that it began
// with: so it must not outlive the binding, be returned or moved out of it, nor be changed inside
// of one to another resource, nor on another thread. Objects that an arena destroys, by
// `mallard::create`, outlive it. Nothing in the container could tell: an allocation without a
// binding is undefined. With `MALLARD_ASSERTIONS` it ends the program; at level 2, resources that
// know their blocks refuse others'. Where you cannot promise this, use `mallard::allocator`.
//
// Shared libraries that are compiled with `-fvisibility=hidden` have bindings of their own.
//
// Complexity: as the resource, and one load of thread-local storage. Thread-safety: each thread has
// bindings of its own. Coroutines must not move to another thread while they are bound.
#pragma once

#include <cstddef>
#include <type_traits>

#include "mallard/allocator.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

// Binds the thread to a resource until it is destroyed; then what was bound before counts again.
// Bindings to other types of resources, or with other tags, are independent: so the type is that of
// the allocators, also for a resource that derives from it.
template <class Resource, class Tag = void>
class thread_binding {
 public:
  // `resource` must outlive the binding.
  explicit thread_binding(std::type_identity_t<Resource>& resource MALLARD_LIFETIMEBOUND) noexcept
      : before_(current_) {
    current_ = &resource;
  }
  ~thread_binding() { current_ = before_; }
  thread_binding(const thread_binding&) = delete;
  thread_binding& operator=(const thread_binding&) = delete;

  // Returns: the resource that this thread is bound to, or null.
  static Resource* resource() noexcept { return current_; }

 private:
  inline static constinit thread_local Resource* current_ = nullptr;

  Resource* before_;
};

// An allocator without state. All of one type are equal, so containers move in O(1).
template <class T, class Resource, class Tag = void>
class thread_bound_allocator {
 public:
  using value_type = T;
  using resource_type = Resource;
  using is_always_equal = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  template <class U>
  struct rebind {
    using other = thread_bound_allocator<U, Resource, Tag>;
  };

  thread_bound_allocator() = default;
  template <class U>
  thread_bound_allocator(const thread_bound_allocator<U, Resource, Tag>&) noexcept {}

  // Effects: allocates room for `n` objects from the thread's resource.
  // Errors: `std::bad_array_new_length` if their size does not fit, or what the resource throws.
  [[nodiscard]] T* allocate(std::size_t n) {
    return allocator<T, Resource>(resource()).allocate(n);
  }

  void deallocate(T* p, std::size_t n) noexcept {
    allocator<T, Resource>(resource()).deallocate(p, n);
  }

  // Requires a binding.
  Resource* resource() const noexcept {
    Resource* const bound = thread_binding<Resource, Tag>::resource();
#if MALLARD_ASSERTIONS > 0
    MALLARD_CHECK(bound != nullptr && "this thread is bound to no resource");
#endif
    return bound;
  }

  template <class U>
  bool operator==(const thread_bound_allocator<U, Resource, Tag>&) const noexcept {
    return true;
  }
};

}  // namespace mallard::inline v1
