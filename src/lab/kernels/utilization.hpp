// Benchmark III: only a small part of the allocated memory is in use at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/kernels/series_work.hpp"
#include "lab/measuring/meters.hpp"

namespace mallard::lab {

// Reads and writes the first byte; volatile, so that it is not optimised away.
inline void increment_first_byte(void* block) {
  auto& byte = *static_cast<volatile unsigned char*>(block);
  byte = static_cast<unsigned char>(byte + 1);
}

// Allocates and frees `work.blocks` blocks, at most `slots.size()` at a time, the oldest first.
// Returns: the number of frees.
template <class Heap>
[[gnu::noinline]] std::uint64_t cycle_blocks(Heap* heap, std::vector<void*>& slots,
                                             const utilization_work& work) {
  const std::size_t bytes = work.block_bytes;
  constexpr std::size_t alignment = alignof(std::max_align_t);
  std::uint64_t freed = 0;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < work.blocks; ++i) {
    void*& slot = slots[at];
    if (slot != nullptr) {
      heap->deallocate(slot, bytes, alignment);
      ++freed;
    }
    slot = nullptr;  // in case the next line throws
    slot = heap->allocate(bytes, alignment);
    increment_first_byte(slot);
    at = at + 1 == slots.size() ? 0 : at + 1;
  }
  for (void*& slot : slots) {
    if (slot == nullptr) continue;
    heap->deallocate(slot, bytes, alignment);
    ++freed;
    slot = nullptr;
  }
  return freed;
}

template <class Arena>
void run_utilization(const utilization_work& work, readings& taken) {
  std::vector<void*> slots(work.active_blocks);
  const double start = read_thread_seconds();
  {
    Arena arena;
    taken.checksum = cycle_blocks(arena.heap(), slots, work);
  }
  taken.add("time", read_thread_seconds() - start);
}

}  // namespace mallard::lab
