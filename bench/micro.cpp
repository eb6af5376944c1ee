// Purpose: nanoseconds per operation in a warm loop, ours beside the peers' and the ideal.
//
// Run with --benchmark_enable_random_interleaving=true --benchmark_repetitions=N and compare the
// medians of one run only.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "contenders.hpp"

namespace mallard::bench {
namespace {

constexpr std::size_t blocks = 20'000;
constexpr std::size_t node_bytes = 24;
constexpr std::size_t node_alignment = 8;

std::vector<std::size_t> shuffled_order() {
  std::vector<std::size_t> order(blocks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  return order;
}

std::vector<std::size_t> string_sizes() {
  std::mt19937_64 random(2);
  std::vector<std::size_t> sizes(blocks);
  for (std::size_t& size : sizes)
    size = std::uniform_int_distribution<std::size_t>(33, 1000)(random);
  return sizes;
}

void per_block(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(blocks));
}

// A resource is reached by its address in real programs, so its state lives in memory; a benchmark
// that lets the compiler keep a cursor or a list head in a register measures something else.
template <class R>
void keep_in_memory(R& resource) {
  asm volatile("" : : "r"(&resource) : "memory");
}

// One block allocated and given back at once.
template <class R>
void pair(benchmark::State& state) {
  R resource;
  keep_in_memory(resource);
  for (auto _ : state) {
    void* p = resource.allocate(node_bytes, node_alignment);
    benchmark::DoNotOptimize(p);
    resource.deallocate(p, node_bytes, node_alignment);
    benchmark::ClobberMemory();
  }
}

// Many of one size, given back in the order of allocation.
template <class R>
void nodes_in_order(benchmark::State& state) {
  R resource;
  keep_in_memory(resource);
  std::vector<void*> live(blocks);
  for (auto _ : state) {
    for (void*& p : live) p = resource.allocate(node_bytes, node_alignment);
    benchmark::ClobberMemory();
    for (void* p : live) resource.deallocate(p, node_bytes, node_alignment);
  }
  per_block(state);
}

// The same, given back in random order.
template <class R>
void nodes_shuffled(benchmark::State& state) {
  R resource;
  keep_in_memory(resource);
  const std::vector<std::size_t> order = shuffled_order();
  std::vector<void*> live(blocks);
  for (auto _ : state) {
    for (void*& p : live) p = resource.allocate(node_bytes, node_alignment);
    benchmark::ClobberMemory();
    for (std::size_t i : order) resource.deallocate(live[i], node_bytes, node_alignment);
  }
  per_block(state);
}

// All live, two at a time replaced at random places.
template <class R>
void nodes_churned(benchmark::State& state) {
  R resource;
  keep_in_memory(resource);
  const std::vector<std::size_t> order = shuffled_order();
  std::vector<void*> live(blocks);
  for (void*& p : live) p = resource.allocate(node_bytes, node_alignment);
  for (auto _ : state) {
    for (std::size_t i = 0; i < blocks; i += 2) {
      void*& first = live[order[i]];
      void*& second = live[order[i + 1]];
      resource.deallocate(first, node_bytes, node_alignment);
      resource.deallocate(second, node_bytes, node_alignment);
      first = resource.allocate(node_bytes, node_alignment);
      second = resource.allocate(node_bytes, node_alignment);
    }
    benchmark::ClobberMemory();
  }
  for (void* p : live) resource.deallocate(p, node_bytes, node_alignment);
  per_block(state);
}

// The string sizes of Benchmark I, given back in random order.
template <class R>
void strings_shuffled(benchmark::State& state) {
  R resource;
  keep_in_memory(resource);
  const std::vector<std::size_t> order = shuffled_order();
  const std::vector<std::size_t> sizes = string_sizes();
  std::vector<void*> live(blocks);
  for (auto _ : state) {
    for (std::size_t i = 0; i < blocks; ++i) live[i] = resource.allocate(sizes[i], 1);
    benchmark::ClobberMemory();
    for (std::size_t i : order) resource.deallocate(live[i], sizes[i], 1);
  }
  per_block(state);
}

template <class R>
void bump_of(benchmark::State& state, R& resource) {
  keep_in_memory(resource);
  for (auto _ : state) {
    for (std::size_t i = 0; i < blocks; ++i) {
      void* p = resource.allocate(node_bytes, node_alignment);
      benchmark::DoNotOptimize(p);
    }
    resource.rewind();
  }
  per_block(state);
}

void bump_mallard(benchmark::State& state) {
  monotonic_resource resource{{.initial_bytes = 1 << 20}};
  bump_of(state, resource);
}
void bump_ideal(benchmark::State& state) {
  ideal_bump resource;
  bump_of(state, resource);
}

using ours = direct<multipool_resource>;
using ours_by_base = by_base<multipool_resource>;
using standard = by_base<std::pmr::unsynchronized_pool_resource>;

BENCHMARK(pair<ours>);
BENCHMARK(pair<ideal_list>);
BENCHMARK(bump_mallard);
BENCHMARK(bump_ideal);

#ifdef MALLARD_HAS_BOOST
using boosted = direct<boost::container::pmr::unsynchronized_pool_resource>;
#define WITH_BOOST(loop) BENCHMARK(loop<boosted>);
#else
#define WITH_BOOST(loop)
#endif
#define COMPARE(loop)            \
  BENCHMARK(loop<ours>);         \
  BENCHMARK(loop<ours_by_base>); \
  WITH_BOOST(loop)               \
  BENCHMARK(loop<standard>);     \
  BENCHMARK(loop<global_heap>)

COMPARE(nodes_in_order);
COMPARE(nodes_shuffled);
COMPARE(nodes_churned);
COMPARE(strings_shuffled);

}  // namespace
}  // namespace mallard::bench
