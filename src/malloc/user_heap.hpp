// Purpose: heaps that a program makes itself and destroys with all that is in them.
//
// The same slabs as a thread's heap has, without magazines, and mappings for what is above the
// largest class, all behind a lock of the heap's own. Their slices have marks of their own, so that
// free finds back to the heap: by the slab's header, or that of the mapping.
#pragma once

#include <array>
#include <cstddef>

#include "mallard/detail/core/slab_set.hpp"
#include "malloc/lock.hpp"
#include "malloc/malloc_classes.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

constexpr bool is_of_user_heap(slice_mark mark) noexcept {
  return mark.kind() == slice_kind::slab_of_user_heap ||
         mark.kind() == slice_kind::huge_of_user_heap;
}

class user_heap final : public slab_set {
 public:
  // Null when there is no memory.
  static user_heap* create() noexcept;
  // With everything in it.
  void destroy() noexcept;

  // Requires a block of a user heap, with its mark.
  static user_heap* of(void* p, slice_mark mark) noexcept;

  // Null when there is no memory. `alignment` is a power of two.
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
  void deallocate(void* p, slice_mark mark) noexcept;

  // Takes the locks of all heaps before a fork; when `take` is false for one, none. After it, in
  // the parent and in the child.
  static bool lock_all(bool (*take)(futex_lock&) noexcept) noexcept;
  static void unlock_all() noexcept;
  static void reset_all() noexcept;

 private:
  static constexpr std::size_t kept_slabs = 2;

  user_heap() noexcept;
  void* allocate_here(std::size_t bytes, std::size_t alignment) noexcept;
  void* allocate_of_class(unsigned size_class) noexcept;
  void* allocate_mapped(std::size_t bytes, std::size_t alignment) noexcept;
  void unlink(region& r) noexcept;

  futex_lock lock_;
  region* huge_ = nullptr;
  user_heap* next_ = nullptr;  // of all, guarded by their list's lock
  user_heap* prev_ = nullptr;
  std::array<slab_pool, malloc_class_count> pools_{};
};

// Requires a block of malloc. The user's heap that it is of, else null.
user_heap* heap_of(void* p) noexcept;
// From that heap, or from malloc if there is none. Null when there is no memory.
void* allocate_beside(user_heap* heap, std::size_t bytes, std::size_t alignment) noexcept;

// By a name that a layer above the engine may have a function of its own for.
inline void* allocate_from(user_heap& heap, std::size_t bytes, std::size_t alignment) noexcept {
  return heap.allocate(bytes, alignment);
}

}  // namespace mallard::inline v1::detail
