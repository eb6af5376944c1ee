// Purpose: a resource that lives as long as its last user.
//
//   using numbers = std::vector<int, mallard::handle_allocator<int, mallard::multipool_resource>>;
//   const auto make_numbers = [] {
//     mallard::resource_handle pool = mallard::make_resource<mallard::multipool_resource>();
//     return numbers(100, pool);  // the pool goes with it
//   };
//   numbers v = make_numbers();
//
// Complexity: allocation as the resource; copying a handle or an allocator is an atomic operation.
// Thread-safety: handles as std::shared_ptr; allocations as the resource.
//
// An arena that one function fills and frees needs no handle: a reference is enough.
// Source of the idea: RMM's owning any_resource; std::shared_ptr.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "mallard/bindable.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/failure.hpp"

namespace mallard::inline v1 {

// Owns an R together with the other handles to it. `resource_handle<>` owns any resource, bound by
// base; a handle of R converts to it.
template <class R = std::pmr::memory_resource>
class resource_handle {
 public:
  using resource_type = R;

  // Owns what `shared` owns. `shared` is not null.
  MALLARD_BY_LEVEL explicit resource_handle(std::shared_ptr<R> shared) noexcept
      : shared_(std::move(shared)) {
    MALLARD_ASSERT(shared_ != nullptr && "a resource_handle to nothing");
  }
  // A moved-from handle would own nothing, so handles are only copied.
  resource_handle(const resource_handle&) noexcept = default;
  resource_handle& operator=(const resource_handle&) noexcept = default;
  template <class Other>
    requires std::convertible_to<Other*, R*>
  resource_handle(const resource_handle<Other>& other) noexcept  // NOLINT: implicit, as pointers
      : shared_(other.shared()) {}

  R* get() const noexcept { return shared_.get(); }
  R& operator*() const noexcept { return *shared_; }
  R* operator->() const noexcept { return shared_.get(); }

  const std::shared_ptr<R>& shared() const noexcept { return shared_; }

  // Returns: whether both are handles to one resource.
  template <class Other>
  friend bool operator==(const resource_handle& a, const resource_handle<Other>& b) noexcept {
    return a.get() == b.get();
  }

 private:
  std::shared_ptr<R> shared_;
};

// Returns: the first handle to a new R, constructed from the arguments. An upstream or anything
// else that these point to must outlive the last handle.
// Errors: std::bad_alloc; what the constructor throws.
template <class R, class... Args>
  requires std::constructible_from<R, Args...>
[[nodiscard]] resource_handle<R> make_resource(Args&&... args) {
  return resource_handle<R>(std::make_shared<R>(std::forward<Args>(args)...));
}

// Binds a container to a resource and keeps the resource alive. A copy of the container uses the
// same resource. Move assignment and swap take the resource along with the elements, in O(1) and
// without exceptions. Copy assignment leaves each container its own, as with allocator<T, R>.
template <class T, class R = std::pmr::memory_resource>
class handle_allocator {
 public:
  using value_type = T;
  using resource_type = R;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  template <class Handle>
    requires std::convertible_to<const Handle&, resource_handle<R>>
  handle_allocator(const Handle& handle) noexcept  // NOLINT: implicit, as allocator
      : handle_(handle) {}
  handle_allocator(const handle_allocator&) noexcept = default;
  handle_allocator& operator=(const handle_allocator&) noexcept = default;
  template <class U>
  handle_allocator(const handle_allocator<U, R>& other) noexcept  // NOLINT: as every allocator
      : handle_(other.handle()) {}

  // Effects: allocates room for `n` objects.
  // Errors: `std::bad_array_new_length` if their size does not fit, or what the resource throws.
  [[nodiscard]] T* allocate(std::size_t n) {
    static_assert(bindable_resource<R>);
    if (n > ~std::size_t{0} / sizeof(T)) detail::fail_array_length();
    return static_cast<T*>(handle_->allocate(n * sizeof(T), alignof(T)));
  }
  void deallocate(T* p, std::size_t n) noexcept {
    handle_->deallocate(p, n * sizeof(T), alignof(T));
  }

  R* resource() const noexcept { return handle_.get(); }
  const resource_handle<R>& handle() const noexcept { return handle_; }

  template <class U>
  bool operator==(const handle_allocator<U, R>& other) const noexcept {
    return handle_ == other.handle();
  }

 private:
  resource_handle<R> handle_;
};

}  // namespace mallard::inline v1
