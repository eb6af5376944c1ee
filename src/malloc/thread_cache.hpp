// Purpose: the data of malloc's and free's hot paths: for each size class a stack of free blocks,
// the thread's magazine. While samples are taken, malloc takes from other stacks, the portions
// (malloc/sampling.hpp). In thread-local storage; only its thread touches it.
//
// The slots are in the thread's heap. There is a null slot below and one above those of a magazine,
// and none between them. So an empty magazine shows in what was taken, and a full one in the slot
// where the block would go: no capacity is compared. A thread without a heap has magazines of no
// capacity, and a mark that no heap has. While a scope is open they are those of the scope's heap
// (malloc/scope.hpp).
//
// Neither malloc nor free touches the block. A program that frees and allocates by turns next
// writes to the block that it frees, which may have left the caches: then free prefetches it. A
// program that only frees needs no block soon. The slot above the top tells which it is: it holds a
// block that was taken from there, or says that there was none.
#pragma once

#include <array>
#include <cstdint>

#include "malloc/malloc_classes.hpp"

namespace mallard::inline v1::detail {

class malloc_heap;
struct malloc_batches;

// The magazines of a thread without a heap, and its batches, which are for nobody.
extern constinit void* const no_slots[2];
extern constinit malloc_batches no_batches;

// Most threads make few calls.
inline constexpr std::size_t most_calls_without_heap = 32;

// The content of slots above the top that no block was taken from since the magazine was spilled.
inline constexpr std::uintptr_t filled_by_frees_only = 1;

struct thread_cache {
  std::array<void**, stack_count> tops;  // the next block: of magazines, then of portions
  std::uintptr_t foreign;  // the bits of marks of blocks that must not stay: see slice_mark
  malloc_heap* heap;
  malloc_batches* batches;  // of the heap
  // The calls that a thread without a heap may still make without one.
  std::size_t calls_without_heap;

  static constexpr thread_cache without_heap() noexcept {
    thread_cache out{};
    out.tops.fill(const_cast<void**>(&no_slots[0]));
    out.leave_heap();
    return out;
  }
  // When nothing is at hand any more. A signal handler may come between: the tops always point
  // somewhere.
  constexpr void leave_heap() noexcept {
    foreign = slice_mark::foreign_to_all;
    heap = nullptr;
    batches = &no_batches;
    calls_without_heap = most_calls_without_heap;
  }

  MALLARD_ALWAYS_INLINE void**& top_of(std::size_t size_class) noexcept {
    return tops[magazine_of(size_class)];
  }
  MALLARD_ALWAYS_INLINE void** const& top_of(std::size_t size_class) const noexcept {
    return tops[magazine_of(size_class)];
  }

  void**& portion_top_of(std::size_t size_class) noexcept { return tops[portion_of(size_class)]; }
  void** const& portion_top_of(std::size_t size_class) const noexcept {
    return tops[portion_of(size_class)];
  }

  // From a magazine or a portion. Null when there is none.
  MALLARD_ALWAYS_INLINE void* take(std::size_t stack) noexcept {
    void* p = *tops[stack];
    if (p == nullptr) [[unlikely]] {
      return nullptr;
    }
    // The compiler forgets what it read, so that one instruction changes the top in memory.
    asm("" : "+r"(p) : : "memory");
    if (p == nullptr) __builtin_unreachable();
    --tops[stack];
    return p;
  }

  // False when the magazine is full.
  MALLARD_ALWAYS_INLINE bool give(void* p, std::size_t magazine) noexcept {
    void** const slot = tops[magazine] + 1;
    if (address_of(*slot) <= filled_by_frees_only) [[unlikely]] {
      asm("" : : : "memory");  // compared in memory, and here once more
      if (*slot == nullptr) return false;
    } else {
      __builtin_prefetch(p, 1);
    }
    *slot = p;
    asm("" : : : "memory");  // as above
    ++tops[magazine];
    return true;
  }
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local thread_cache cache;

}  // namespace mallard::inline v1::detail
