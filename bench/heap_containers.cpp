// Purpose: Boost's containers on our extended allocators and on Boost's: arrays that grow, nodes in
// bursts and one by one.
#ifdef MALLARD_HAS_BOOST

#include <benchmark/benchmark.h>

#include <boost/container/adaptive_pool.hpp>
#include <boost/container/allocator.hpp>
#include <boost/container/list.hpp>
#include <boost/container/node_allocator.hpp>
#include <boost/container/vector.hpp>
#include <cstddef>
#include <iterator>

#include "mallard/mallard.hpp"

namespace mallard::bench {
namespace {

namespace bc = boost::container;

// As in Boost's benchmarks: an int that the compiler may not move as bytes.
class wrapped_int {
 public:
  wrapped_int(int value = 0) : value_(value) {}  // NOLINT: implicit, as an int
  wrapped_int(const wrapped_int& other) : value_(other.value_) {}
  wrapped_int& operator=(const wrapped_int& other) {
    value_ = other.value_;
    return *this;
  }
  ~wrapped_int() { value_ = 0; }

 private:
  int value_;
};

// What a container's constructor gets: an allocator of ours needs its resource.
template <class Allocator>
struct source {
  Allocator allocator() { return {}; }
};
template <class T, without Left>
struct source<expandable_allocator<T, heap_resource, Left>> {
  heap_resource heap;
  expandable_allocator<T, heap_resource, Left> allocator() { return {&heap}; }
};

// Our pools and Boost's private ones are one for each container's user.
template <class T>
struct own_pool {
  using allocator_type = adaptive_pool_allocator<T>;
  adaptive_pool_resource pool;
  allocator_type allocator() { return {&pool}; }
};

template <class Allocator>
void push_back(benchmark::State& state) {
  constexpr int elements = 10'000;
  source<Allocator> from;
  for (auto _ : state) {
    bc::vector<wrapped_int, Allocator> v(from.allocator());
    for (int i = 0; i < elements; ++i) v.push_back(wrapped_int(i));
    benchmark::DoNotOptimize(v.data());
  }
  state.SetItemsProcessed(state.iterations() * elements);
}

// The same without any growth: what the rest of it costs.
void push_back_reserved(benchmark::State& state) {
  constexpr int elements = 10'000;
  source<expandable_allocator<wrapped_int>> from;
  for (auto _ : state) {
    bc::vector<wrapped_int, expandable_allocator<wrapped_int>> v(from.allocator());
    v.reserve(elements);
    for (int i = 0; i < elements; ++i) v.push_back(wrapped_int(i));
    benchmark::DoNotOptimize(v.data());
  }
  state.SetItemsProcessed(state.iterations() * elements);
}

// A list filled and emptied by ranges.
constexpr std::size_t list_nodes = 10'000;

template <class Allocator, class Source = source<Allocator>>
void burst_insert(benchmark::State& state) {
  const auto range = static_cast<std::size_t>(state.range(0));
  Source from;
  for (auto _ : state) {
    bc::list<wrapped_int, Allocator> l(from.allocator());
    for (std::size_t n = 0; n < list_nodes; n += range) l.insert(l.end(), range, wrapped_int(1));
    state.PauseTiming();
    l.clear();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(list_nodes));
}

template <class Allocator, class Source = source<Allocator>>
void burst_erase(benchmark::State& state) {
  const auto range = static_cast<std::ptrdiff_t>(state.range(0));
  Source from;
  for (auto _ : state) {
    state.PauseTiming();
    bc::list<wrapped_int, Allocator> l(from.allocator());
    for (std::size_t n = 0; n < list_nodes; n += static_cast<std::size_t>(range)) {
      l.insert(l.end(), static_cast<std::size_t>(range), wrapped_int(1));
    }
    state.ResumeTiming();
    while (!l.empty()) l.erase(l.begin(), std::next(l.begin(), range));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(list_nodes));
}

template <class Allocator, class Source = source<Allocator>>
void node_by_node(benchmark::State& state) {
  Source from;
  for (auto _ : state) {
    bc::list<wrapped_int, Allocator> l(from.allocator());
    for (std::size_t n = 0; n < list_nodes; ++n) l.push_back(wrapped_int(1));
    while (!l.empty()) l.pop_front();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(list_nodes));
}

using ours = expandable_allocator<wrapped_int>;
using ours_v1 = expandable_allocator<wrapped_int, heap_resource, without::version_2>;
using our_pool = adaptive_pool_allocator<wrapped_int>;
using our_nodes = node_allocator<wrapped_int>;
using boosts = bc::allocator<wrapped_int, 2>;
using boosts_v1 = bc::allocator<wrapped_int, 1>;
using boosts_pool = bc::adaptive_pool<wrapped_int>;
using boosts_nodes = bc::node_allocator<wrapped_int>;
using own = own_pool<wrapped_int>;

BENCHMARK(push_back_reserved);
BENCHMARK(push_back<ours>);
BENCHMARK(push_back<ours_v1>);
BENCHMARK(push_back<boosts>);
BENCHMARK(push_back<boosts_v1>);

#define BURST(...)                                                             \
  BENCHMARK(burst_insert<__VA_ARGS__>)->RangeMultiplier(10)->Range(10, 10000); \
  BENCHMARK(burst_erase<__VA_ARGS__>)->RangeMultiplier(10)->Range(10, 10000)
BURST(ours);
BURST(boosts);
BURST(our_pool);
BURST(our_pool, own);
BURST(boosts_pool);

BENCHMARK(node_by_node<ours>);
BENCHMARK(node_by_node<ours_v1>);
BENCHMARK(node_by_node<our_pool>);
BENCHMARK(node_by_node<our_pool, own>);
BENCHMARK(node_by_node<our_nodes>);
BENCHMARK(node_by_node<boosts>);
BENCHMARK(node_by_node<boosts_pool>);
BENCHMARK(node_by_node<boosts_nodes>);

}  // namespace
}  // namespace mallard::bench

#endif
