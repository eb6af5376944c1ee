// Purpose: nanoseconds of what a heap is for: blocks of any size among many others, arrays that
// grow, heaps that come and go; ours beside malloc and Boost's.
//
// Run as mallard_micro: with random interleaving and repetitions; compare medians of one run only.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "heap_contenders.hpp"

namespace mallard::bench {
namespace {

// Sizes in between, each doubling as likely as any other.
std::vector<std::uint32_t> log_uniform_sizes(std::size_t count, double least, double most) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(std::log2(least), std::log2(most));
  std::vector<std::uint32_t> sizes(count);
  for (std::uint32_t& size : sizes) {
    size = static_cast<std::uint32_t>(std::exp2(exponent(random)));
  }
  return sizes;
}

// One of many blocks is given back and another, of another size, is allocated.
template <class Heap>
void steady(benchmark::State& state) {
  const auto live = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t size_count = std::size_t{1} << 16;
  const std::vector<std::uint32_t> sizes = log_uniform_sizes(
      size_count, static_cast<double>(state.range(1)), static_cast<double>(state.range(2)));
  struct block {
    void* p;
    std::uint32_t bytes;
  };
  std::vector<block> blocks(live);
  Heap heap;
  std::uint64_t random = 88172645463325252;
  std::size_t step = 0;
  const auto fresh = [&](block& b) {
    b.bytes = sizes[step++ % size_count];
    b.p = heap.allocate(b.bytes);
    *static_cast<std::size_t*>(b.p) = step;  // the program uses what it asks for
  };
  for (block& b : blocks) fresh(b);
  const auto next = [&] {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<std::size_t>((random >> 32) * live >> 32);
  };
  for (std::size_t i = 0; i < live; ++i) {  // no trace of the order of allocation
    block& b = blocks[next()];
    heap.deallocate(b.p, b.bytes);
    fresh(b);
  }
  for (auto _ : state) {
    block& b = blocks[next()];
    heap.deallocate(b.p, b.bytes);
    fresh(b);
  }
  for (const block& b : blocks) heap.deallocate(b.p, b.bytes);
  heap.trim();
}

// A heap, one object, and away with it.
void heap_of_one_object(benchmark::State& state) {
  for (auto _ : state) {
    heap_resource heap;
    void* p = heap.allocate(24);
    benchmark::DoNotOptimize(p);
  }
}
void heap_of_one_array(benchmark::State& state) {
  for (auto _ : state) {
    heap_resource heap;
    void* p = heap.allocate_at_least(1000).p;
    benchmark::DoNotOptimize(p);
  }
}

// A small block, and an array, allocated and given back at once.
template <class Heap>
void block_pair(benchmark::State& state) {
  Heap heap;
  for (auto _ : state) {
    void* p = heap.allocate(24);
    benchmark::DoNotOptimize(p);
    heap.deallocate(p, 24);
    benchmark::ClobberMemory();
  }
}
template <class Heap>
void array_pair(benchmark::State& state) {
  Heap heap;
  void* const neighbour = heap.allocate_at_least(1000).p;
  for (auto _ : state) {
    void* p = heap.allocate_at_least(1000).p;
    benchmark::DoNotOptimize(p);
    heap.deallocate_expandable(p);
    benchmark::ClobberMemory();
  }
  heap.deallocate_expandable(neighbour);
}

// An array is grown to 200 MB, a megabyte at a time, and written to.
constexpr std::size_t megabyte = 1'000'000;
constexpr std::size_t grown_bytes = 200 * megabyte;

void grown_by_remap(benchmark::State& state) {
  for (auto _ : state) {
    heap_resource heap;
    sized_block a = heap.allocate_at_least(megabyte);
    std::memset(a.p, 1, megabyte);
    for (std::size_t bytes = megabyte; bytes < grown_bytes; bytes += megabyte) {
      a = heap.remap(a.p, bytes, bytes + megabyte);
      std::memset(static_cast<char*>(a.p) + bytes, 1, megabyte);
    }
    heap.deallocate_expandable(a.p);
  }
}
void grown_by_realloc(benchmark::State& state) {
  for (auto _ : state) {
    void* p = std::malloc(megabyte);
    std::memset(p, 1, megabyte);
    for (std::size_t bytes = megabyte; bytes < grown_bytes; bytes += megabyte) {
      p = std::realloc(p, bytes + megabyte);
      std::memset(static_cast<char*>(p) + bytes, 1, megabyte);
    }
    std::free(p);
  }
}

// An array that grew among small ones, until one of them is in its way, moves.
void moved_once(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    heap_resource heap;
    sized_block a = heap.allocate_at_least(1000);
    a.bytes = heap.try_expand(a.p, a.bytes, bytes, bytes);
    std::memset(a.p, 1, a.bytes);
    static_cast<void>(heap.allocate_at_least(1000));
    const auto start = std::chrono::steady_clock::now();
    a = heap.remap(a.p, bytes, 2 * bytes);
    const auto stop = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(a.p);
    state.SetIterationTime(std::chrono::duration<double>(stop - start).count());
  }
}

BENCHMARK(heap_of_one_object);
BENCHMARK(heap_of_one_array);
BENCHMARK(grown_by_remap)->Unit(benchmark::kMillisecond);
BENCHMARK(grown_by_realloc)->Unit(benchmark::kMillisecond);
BENCHMARK(moved_once)->RangeMultiplier(4)->Range(256 << 10, 256 << 20)->UseManualTime();
BENCHMARK(block_pair<own_heap<heap_resource>>);
BENCHMARK(block_pair<own_heap<synchronized_heap_resource>>);
BENCHMARK(block_pair<own_heap<synchronized_multipool_resource>>);
BENCHMARK(block_pair<global_malloc>);
BENCHMARK(array_pair<heap_resource>);
BENCHMARK(array_pair<synchronized_heap_resource>);

#define STEADY(heap)                  \
  BENCHMARK(steady<heap>)             \
      ->Args({10'000, 16, 65'536})    \
      ->Args({1'000'000, 16, 65'536}) \
      ->Args({100, 50'000, 150'000})  \
      ->Args({1, 50'000, 150'000})    \
      ->Iterations(1'000'000)
STEADY(own_heap<heap_resource>);
STEADY(own_heap<synchronized_heap_resource>);
STEADY(own_heap<multipool_resource>);
STEADY(global_malloc);
#ifdef MALLARD_HAS_BOOST
STEADY(boost_dlmalloc);
BENCHMARK(block_pair<boost_dlmalloc>);
#endif

}  // namespace
}  // namespace mallard::bench
