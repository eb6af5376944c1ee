// Purpose: heaps that a program makes itself and destroys with all that is in them.
//
// A heap has slabs like a thread's heap, but no magazines, and a lock of its own; a large space of
// its own; and a list of the mappings of its huge blocks. The marks of all their slices hold the
// heap's number, so that free finds it.
#pragma once

#include <array>
#include <cstddef>

#include "mallard/detail/core/slab_set.hpp"
#include "malloc/large_space.hpp"
#include "malloc/lock.hpp"
#include "malloc/malloc_classes.hpp"
#include "malloc/region.hpp"
#include "malloc/scope.hpp"

namespace mallard::inline v1::detail {

class user_heap final : public slab_set {
 public:
  // Null when there is no memory.
  static user_heap* create() noexcept;
  // Destroys it with everything in it.
  void destroy() noexcept;

  // Null when there is no memory. `alignment` is a power of two.
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
  // The same for requests that have no size class.
  void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
  // Returns the heap if nobody needs it any more: the caller destroys it, outside of slow paths.
  [[nodiscard]] user_heap* deallocate(void* p, slice_mark mark) noexcept;
  // Frees a block and allocates another. Null when there is no memory: the old one is gone then.
  void* replace(void* p, std::size_t bytes, std::size_t alignment) noexcept;
  // Resizes a huge block, as huge_blocks does.
  void* resize_huge(void* p, std::size_t bytes) noexcept;
  large_space& space() noexcept { return space_; }
  std::size_t number() const noexcept { return number_; }

  // A heap without blocks that the program does not know. It ends with its last block, after its
  // scope. Null when there is no memory.
  static user_heap* take_nameless() noexcept;
  // Null when there is no memory.
  open_scope* begin_scope() noexcept;
  // Returns how many blocks are in use. If there are none, all memory may go, except for a little.
  std::size_t end_scope(open_scope& scope) noexcept;
  // Includes blocks at hand for open scopes.
  std::size_t blocks_in_use() noexcept;
  // For a scope whose magazine is empty, or full.
  void* refill(open_scope& scope, thread_cache& to, unsigned size_class) noexcept;
  void spill(open_scope& scope, thread_cache& from, void* p, unsigned size_class) noexcept;

  // Gives back what heaps keep unused. Returns whether there was any beside what the supply got.
  static bool trim_all() noexcept;
  // Destroys those that wait for another scope, outside of slow paths. Returns whether there were
  // any.
  static bool destroy_idle() noexcept;
  // Usage of all heaps: their spaces, and the blocks that are at hand for scopes to come.
  struct usage_of_all {
    space_usage spaces;
    std::size_t taken_bytes = 0;  // of slabs
    std::size_t at_hand_bytes = 0;
  };
  static usage_of_all usage_of_heaps() noexcept;

  // Takes the locks of all heaps before a fork; none if `take` is false for one. The others are for
  // the parent and the child after it.
  static bool lock_all(bool (*take)(futex_lock&) noexcept) noexcept;
  static void unlock_all() noexcept;
  static void reset_all() noexcept;
  // For a child whose thread was not in the middle of malloc.
  static void forget_scopes_of_other_threads() noexcept;

 private:
  static constexpr std::size_t kept_slabs = 2;
  static constexpr std::size_t kept_in_space_bytes = std::size_t{1} << 20;

  enum class kind { named, nameless, orphan };
  static constexpr std::size_t kept_bytes = std::size_t{1} << 20;  // of slabs without a block
  static constexpr std::size_t most_kept_nameless = 16;

  explicit user_heap(std::size_t number) noexcept;
  static void* take_slab(void* context, std::size_t bytes, const slab_rescue& rescue);
  static void give_slab(void* context, void* p, std::size_t bytes) noexcept;
  static constexpr slab_source supply_source{take_slab, give_slab};

  void* allocate_here(std::size_t bytes, std::size_t alignment) noexcept;
  bool find_slots(unsigned size_class) noexcept;
  void* allocate_of_class(unsigned size_class) noexcept;
  void* allocate_sample(std::size_t bytes, std::size_t alignment) noexcept;
  void* allocate_in_space(std::size_t bytes, std::size_t alignment) noexcept;
  void* allocate_mapped(std::size_t bytes, std::size_t alignment) noexcept;
  void link(void* p, std::size_t more) noexcept;
  void unlink(region& r) noexcept;
  // The heap's own locks, in the order in which a fork takes them.
  static constexpr std::size_t lock_count = 3;
  futex_lock& lock_at(std::size_t i) noexcept;
  void unlock() noexcept;

  void give_one(void* p, unsigned size_class) noexcept;
  bool is_last_of_orphan() noexcept;
  std::size_t blocks_in_use_locked() noexcept;
  void empty(open_scope& closed) noexcept;
  void wink_out() noexcept;
  void give_back_beyond(std::size_t bytes) noexcept;
  bool trim() noexcept;
  // False if there are many others already.
  bool is_kept_nameless() noexcept;
  void keep_nameless() noexcept;

  const std::size_t number_;
  futex_lock lock_;
  region* huge_ = nullptr;
  std::size_t huge_blocks_ = 0;
  std::size_t leaving_blocks_ = 0;  // of the space
  std::size_t slab_blocks_ = 0;     // that have left the slabs
  std::size_t reserved_bytes_ = 0;  // of slabs
  open_scope* closed_ = nullptr;
  unsigned open_scopes_ = 0;
  kind kind_ = kind::named;
  user_heap* next_ = nullptr;  // of all, guarded by their list's lock
  user_heap* prev_ = nullptr;
  user_heap* next_nameless_ = nullptr;  // of those that nobody uses, guarded so as well
  std::array<slab_pool, malloc_class_count> pools_{};
  memory_budget::account account_;
  large_space space_;
};

// Requires a block of malloc. The block's user heap, else null.
user_heap* heap_of(const void* p) noexcept;
// Allocates from that heap, or from malloc if there is none. Null when there is no memory.
void* allocate_beside(user_heap* heap, std::size_t bytes, std::size_t alignment) noexcept;
// Frees a block and allocates another where it came from; there need not be memory for both at
// once. Null when there is none: the old one is gone then.
void* replace(void* p, std::size_t bytes, std::size_t alignment) noexcept;

// A layer above the engine may have a function of its own of this name.
inline void* allocate_from(user_heap& heap, std::size_t bytes, std::size_t alignment) noexcept {
  return heap.allocate(bytes, alignment);
}

}  // namespace mallard::inline v1::detail
