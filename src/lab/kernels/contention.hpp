// Benchmark IV: threads that only allocate and free.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "lab/kernels/series_work.hpp"
#include "lab/kernels/utilization.hpp"
#include "lab/mallocs/block_ring.hpp"
#include "lab/measuring/thread_team.hpp"

namespace mallard::lab {

// Not timed: lets malloc make the thread's arena.
inline constexpr std::uint64_t warm_up_pairs = 256;

template <class Heap>
[[gnu::noinline]] void allocate_and_free(Heap* heap, std::uint64_t count, std::size_t bytes) {
  constexpr std::size_t alignment = alignof(std::max_align_t);
  for (std::uint64_t i = 0; i < count; ++i) {
    void* block = heap->allocate(bytes, alignment);
    increment_first_byte(block);
    heap->deallocate(block, bytes, alignment);
  }
}

inline double per_round(double seconds, const contention_work& work) {
  return seconds / static_cast<double>(work.rounds);
}

// Each thread makes its own allocator in each round, while it is timed.
template <class Arena>
void run_own(const contention_work& work, readings& taken) {
  std::atomic<std::uint64_t> done{0};
  const auto rounds = [&](std::uint64_t how_many, std::uint64_t iterations) {
    for (std::uint64_t round = 0; round < how_many; ++round) {
      Arena arena;
      allocate_and_free(arena.heap(), iterations, work.block_bytes);
    }
    done += how_many * iterations;
  };
  const double seconds = run_team(
      work.threads, [&](unsigned) { rounds(1, warm_up_pairs); },
      [&](unsigned) { rounds(work.rounds, work.iterations); });
  taken.add("time", per_round(seconds, work));
  taken.checksum = done;
}

// All threads share one allocator.
template <class Arena>
void run_shared(const contention_work& work, readings& taken) {
  Arena arena;
  std::atomic<std::uint64_t> done{0};
  const auto some = [&](std::uint64_t iterations) {
    allocate_and_free(arena.heap(), iterations, work.block_bytes);
    done += iterations;
  };
  const double seconds = run_team(
      work.threads, [&](unsigned) { some(warm_up_pairs); },
      [&](unsigned) { some(work.rounds * work.iterations); });
  taken.add("time", per_round(seconds, work));
  taken.checksum = done;
}

template <class Heap>
void produce(Heap* heap, block_ring& ring, std::uint64_t count, std::size_t bytes) {
  for (std::uint64_t i = 0; i < count; ++i) {
    void* block = heap->allocate(bytes, alignof(std::max_align_t));
    increment_first_byte(block);
    while (!ring.push(block)) std::this_thread::yield();
  }
}

// Frees blocks from the ring until it is closed. Returns: their number.
template <class Heap>
std::uint64_t consume(Heap* heap, block_ring& ring, std::size_t bytes) {
  std::uint64_t freed = 0;
  while (true) {
    const bool last = ring.closed();
    if (void* block = ring.pop()) {
      increment_first_byte(block);
      heap->deallocate(block, bytes, alignof(std::max_align_t));
      ++freed;
    } else if (last) {
      return freed;
    } else {
      std::this_thread::yield();
    }
  }
}

// Closes the ring even if the producer throws, because its consumer would wait for ever.
class closing {
 public:
  explicit closing(block_ring& ring) : ring_(ring) {}
  ~closing() { ring_.close(); }
  closing(const closing&) = delete;
  closing& operator=(const closing&) = delete;

 private:
  block_ring& ring_;
};

// One allocator for all; thread 2n allocates, thread 2n + 1 frees.
template <class Arena>
void run_handoff(const contention_work& work, readings& taken) {
  Arena arena;
  std::vector<block_ring> rings(work.threads / 2);
  std::atomic<std::uint64_t> freed{0};
  const double seconds = run_team(
      work.threads,
      [&](unsigned) { allocate_and_free(arena.heap(), warm_up_pairs, work.block_bytes); },
      [&](unsigned number) {
        block_ring& ring = rings[number / 2];
        if (number % 2 == 0) {
          const closing end(ring);
          produce(arena.heap(), ring, work.rounds * work.iterations, work.block_bytes);
        } else {
          freed += consume(arena.heap(), ring, work.block_bytes);
        }
      });
  taken.add("time", per_round(seconds, work));
  taken.checksum = freed;
}

}  // namespace mallard::lab
