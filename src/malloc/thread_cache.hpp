// Purpose: what the hot paths of malloc and free work on: for each size class a stack of free
// blocks, the thread's magazine. In thread-local storage; only its thread touches it.
//
// The slots are in the heap of the thread. Below and above those of a magazine there is one that is
// null: taking from an empty one shows in what was taken, and giving to a full one in what lies
// where the block would go. In between nothing is null. A thread without a heap has magazines of no
// capacity, and a name that is no heap's. While a scope is open they are those of the scope's heap
// (malloc/scope.hpp).
//
// Neither malloc nor free touches the block. Where the program frees and allocates by turns, what
// it frees is the next that it writes to, and may have left the caches: then free has it fetched
// while the program goes on. Where it only frees, nobody needs the block soon. What lies above the
// top tells: a block that was taken from there, or that there was none.
#pragma once

#include <array>
#include <cstdint>

#include "malloc/malloc_classes.hpp"

namespace mallard::inline v1::detail {

class malloc_heap;
struct malloc_batches;

// All magazines of a thread without a heap, and all its batches, which are for nobody.
extern constinit void* const no_slots[2];
extern constinit malloc_batches no_batches;

// Most threads need little.
inline constexpr std::size_t most_calls_without_heap = 32;

// In slots above the top that no block was taken from since the magazine was spilled.
inline constexpr std::uintptr_t filled_by_frees_only = 1;

struct thread_cache {
  std::array<void**, malloc_class_count + 1> top;  // the block that is next; the last is for none
  slice_mark heap_mark;                            // of slices of the heap's slabs of class 0
  malloc_heap* heap;
  malloc_batches* batches;  // of the heap
  // So many times a thread without a heap may still do without.
  std::size_t calls_without_heap;
  // Blocks of other heaps may stay if they are of these.
  std::uint64_t shared_classes;

  static constexpr thread_cache without_heap() noexcept {
    thread_cache out{};
    out.top.fill(const_cast<void**>(&no_slots[0]));
    out.heap_mark = slice_mark::of_no_heap();
    out.batches = &no_batches;
    out.calls_without_heap = most_calls_without_heap;
    out.shared_classes = classes_of_lines;
    return out;
  }

  // Null when the magazine is empty.
  MALLARD_ALWAYS_INLINE void* take(unsigned size_class) noexcept {
    void* p = *top[size_class];
    if (p == nullptr) [[unlikely]] {
      return nullptr;
    }
    // The compiler forgets what it read, so that one instruction counts the top where it lies.
    asm("" : "+r"(p) : : "memory");
    if (p == nullptr) __builtin_unreachable();
    --top[size_class];
    return p;
  }

  // False when the magazine is full.
  MALLARD_ALWAYS_INLINE bool give(void* p, std::uintptr_t size_class) noexcept {
    void** const slot = top[size_class] + 1;
    if (address_of(*slot) <= filled_by_frees_only) [[unlikely]] {
      asm("" : : : "memory");  // compared where it lies, and here once more
      if (*slot == nullptr) return false;
    } else {
      __builtin_prefetch(p, 1);
    }
    *slot = p;
    asm("" : : : "memory");  // as above
    ++top[size_class];
    return true;
  }
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local thread_cache cache;

}  // namespace mallard::inline v1::detail
