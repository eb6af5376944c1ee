// Purpose: an allocator for containers that lie, with all that they own, in a file or in shared
// memory. It holds no address either.
//
//   using ints = std::vector<int, mallard::offset_allocator<int>>;
//   mallard::shared_resource shared;
//   ints* v = shared.make<ints>("v", shared);  // the same in every process: shared.find<ints>("v")
//   v->push_back(1);
//
// Complexity: as the resource, plus an addition. Thread-safety: as the resource; its users have to
// lock a container.
//
// It binds standard containers that take any allocator's `pointer`: with libstdc++ before 15
// `vector` and `deque`, with libc++ all but `deque`; and all of Boost.Container.
#pragma once

#include <cstddef>
#include <type_traits>

#include "mallard/detail/config.hpp"
#include "mallard/detail/failure.hpp"
#include "mallard/memory/offset_ptr.hpp"
#include "mallard/memory/segment.hpp"

namespace mallard::inline v1 {

// Finds this process's resource for the memory that it lies in, or came from.
template <class T>
class offset_allocator {
 public:
  using value_type = T;
  using pointer = offset_ptr<T>;
  using const_pointer = offset_ptr<const T>;
  using void_pointer = offset_ptr<void>;
  using const_void_pointer = offset_ptr<const void>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;

  // `resource` must be open wherever the allocator, or a container with it, is used.
  offset_allocator(segment_resource& resource) noexcept  // NOLINT: implicit, as in pmr
      : base_(static_cast<std::byte*>(resource.base())) {}
  offset_allocator(segment_resource* resource) noexcept  // NOLINT: implicit, as the other
      : offset_allocator(*resource) {}
  template <class U>
  offset_allocator(const offset_allocator<U>& other) noexcept  // NOLINT: as the other
      : base_(other.base()) {}
  offset_allocator(const offset_allocator&) noexcept = default;
  offset_allocator& operator=(const offset_allocator&) noexcept = default;

  // Effects: allocates room for `n` objects.
  // Errors: `std::bad_array_new_length` if their size does not fit, or `memory_error`.
  [[nodiscard]] pointer allocate(std::size_t n) {
    if (n > ~std::size_t{0} / sizeof(T)) detail::fail_array_length();
    return static_cast<T*>(resource().allocate(n * sizeof(T), alignof(T)));
  }
  void deallocate(const pointer& p, std::size_t n) noexcept {
    resource().deallocate(p.get(), n * sizeof(T), alignof(T));
  }

  // Returns: the resource of this process.
  segment_resource& resource() const noexcept {
    return *static_cast<segment_resource*>(detail::process_word_of(base_.get()));
  }
  std::byte* base() const noexcept { return base_.get(); }

  template <class U>
  bool operator==(const offset_allocator<U>& other) const noexcept {
    return base() == other.base();
  }

 private:
  offset_ptr<std::byte> base_;
};

}  // namespace mallard::inline v1
