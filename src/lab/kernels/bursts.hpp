// Containers of nodes, filled and emptied by ranges, and the memory that their pools then hold.
//
// A `Column` names its `arena` and its containers, `list<T, Allocator>` and `stable_vector<T,
// Allocator>`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "lab/kernels/barrier.hpp"
#include "lab/kernels/counting.hpp"
#include "lab/kernels/elements.hpp"
#include "lab/kernels/extended_kernels.hpp"
#include "lab/kernels/memory_account.hpp"
#include "lab/measuring/meters.hpp"

namespace mallard::lab {

// Iterators to the start of each range and to the end of the last one.
template <class Container>
using cuts = std::vector<typename Container::iterator>;

struct burst_times {
  double insert = 0;
  double erase = 0;
};

template <class List>
[[gnu::noinline]] void insert_ranges(List& l, std::uint64_t elements, std::uint64_t range) {
  for (std::uint64_t i = 0; i < elements / range; ++i) {
    l.insert(l.end(), range, wrapped_int(static_cast<int>(i)));
  }
}

template <class List>
[[gnu::noinline]] void insert_one_by_one(List& l, std::uint64_t elements) {
  for (std::uint64_t i = 0; i < elements; ++i) l.push_back(wrapped_int(static_cast<int>(i)));
}

// Walks the whole list. Returns: the sum of its elements.
template <class List>
std::uint64_t find_cuts(List& l, std::uint64_t range, cuts<List>& found) {
  std::uint64_t sum = 0;
  std::uint64_t at = 0;
  found.clear();
  for (auto i = l.begin(); i != l.end(); ++i, ++at) {
    if (at % range == 0) found.push_back(i);
    sum += element<wrapped_int>::read(*i) * (at % 7 + 1);
  }
  found.push_back(l.end());
  return sum;
}

template <class List>
[[gnu::noinline]] void erase_ranges(List& l, const cuts<List>& at) {
  for (std::size_t i = 0; i + 1 < at.size(); ++i) l.erase(at[i], at[i + 1]);
}

template <class List>
[[gnu::noinline]] void erase_one_by_one(List& l, const cuts<List>& at) {
  for (std::size_t i = 0; i + 1 < at.size(); ++i) l.erase(at[i]);
}

// From the back, because erasing in front moves everything behind it.
template <class Vector>
[[gnu::noinline]] void erase_from_back(Vector& v, std::uint64_t range) {
  while (!v.empty()) v.erase(v.end() - static_cast<std::ptrdiff_t>(range), v.end());
}

template <class Phase>
double seconds_of(const Phase& phase) {
  const double start = read_thread_seconds();
  phase();
  return read_thread_seconds() - start;
}

// Fills and empties the list; calls `full` in between.
template <class List, class Full>
burst_times fill_and_empty(List& l, std::uint64_t elements, std::uint64_t range, cuts<List>& at,
                           const Full& full) {
  burst_times taken;
  taken.insert = seconds_of([&] {
    return range == 1 ? insert_one_by_one(l, elements) : insert_ranges(l, elements, range);
  });
  full(find_cuts(l, range, at));
  taken.erase =
      seconds_of([&] { return range == 1 ? erase_one_by_one(l, at) : erase_ranges(l, at); });
  return taken;
}

template <class Vector>
burst_times fill_and_empty_vector(Vector& v, const burst_work& work, std::uint64_t& checksum) {
  burst_times taken;
  taken.insert = seconds_of([&] { insert_ranges(v, work.elements, work.range); });
  checksum = 0;
  for (const auto& one : v) checksum = checksum * 3 + element<wrapped_int>::read(one);
  taken.erase = seconds_of([&] { erase_from_back(v, work.range); });
  return taken;
}

// A container, and how a burst fills and empties it.
template <class Column, class Allocator>
struct list_rounds {
  using list = typename Column::template list<wrapped_int, Allocator>;
  explicit list_rounds(const Allocator& allocator) : l(allocator) {}
  burst_times operator()(const burst_work& work, std::uint64_t& checksum) {
    return fill_and_empty(l, work.elements, work.range, at,
                          [&](std::uint64_t sum) { checksum = sum; });
  }

  cuts<list> at;
  list l;
};
template <class Column, class Allocator>
struct vector_rounds {
  explicit vector_rounds(const Allocator& allocator) : v(allocator) {}
  burst_times operator()(const burst_work& work, std::uint64_t& checksum) {
    return fill_and_empty_vector(v, work, checksum);
  }

  typename Column::template stable_vector<wrapped_int, Allocator> v;
};

// The first round is not timed, so that each strategy has the memory that it keeps; the second one
// is.
template <class Column, template <class, class> class Rounds>
void run_burst(const burst_work& work, readings& taken) {
  using arena = typename Column::arena;
  const auto rounds = [](auto allocator) { return Rounds<Column, decltype(allocator)>(allocator); };
  {
    arena memory;
    auto round = rounds(memory.template make_allocator<wrapped_int>());
    round(work, taken.checksum);
    const burst_times times = round(work, taken.checksum);
    taken.add("insert", times.insert);
    taken.add("erase", times.erase);
    taken.add("rss", static_cast<double>(read_peak_resident_bytes()));
  }
  arena memory;
  call_counts counts;
  auto round = rounds(count_calls(memory.template make_allocator<wrapped_int>(), counts));
  std::uint64_t ignored = 0;
  round(work, ignored);
  taken.add("calls", static_cast<double>(counts.allocations + counts.deallocations));
}

// A node of a list of ints: two links and the value.
struct list_node {
  void* links[2];
  wrapped_int value;
};

inline double difference(std::uint64_t now, std::uint64_t before) {
  return now > before ? static_cast<double>(now - before) : 0;
}

// Bytes beyond the node's own, per node.
inline double overhead_of(double bytes, std::uint64_t nodes) {
  const double per_node = bytes / static_cast<double>(nodes);
  return std::max(0.0, per_node / sizeof(list_node) - 1);
}

template <class Column>
void run_pool(const pool_work& work, readings& taken) {
  using arena = typename Column::arena;
  arena memory;
  const auto allocator = memory.template make_allocator<wrapped_int>();
  using list =
      typename Column::template list<wrapped_int, std::remove_const_t<decltype(allocator)>>;
  list l(allocator);
  // All memory but the nodes' exists and is written to before the first node.
  cuts<list> at(work.elements / work.range + 2, l.end());
  const auto account = [&]() -> std::optional<memory_account> {
    return memory.template account<list>(l);
  };
  const auto before = account();
  const std::uint64_t resident_before = read_resident_bytes();
  // The memory with all nodes is read in the first round, which is not timed.
  std::optional<memory_account> full;
  std::uint64_t resident_full = 0;
  fill_and_empty(l, work.elements, work.range, at, [&](std::uint64_t) {
    full = account();
    resident_full = read_resident_bytes();
  });
  const burst_times times = fill_and_empty(l, work.elements, work.range, at,
                                           [&](std::uint64_t sum) { taken.checksum = sum; });
  const auto after = account();
  taken.add("insert", times.insert);
  taken.add("erase", times.erase);
  taken.add("rss_after_erase", difference(read_resident_bytes(), resident_before));
  taken.add("overhead_rss", overhead_of(difference(resident_full, resident_before), work.elements));
  if (!before || !full || !after) return;
  taken.add("overhead", overhead_of(difference(full->in_use, before->in_use), work.elements));
  taken.add("in_use_after_erase", difference(after->in_use, before->in_use));
  taken.add("held_after_erase", difference(after->held, before->held));
}

// A row of a table of kernels, with those of both containers and of the pool.
template <class Column>
constexpr column_kernels bursts_in(std::string_view strategy, std::string_view peer) {
  return {.strategy = strategy,
          .peer = peer,
          .list_burst = run_burst<Column, list_rounds>,
          .vector_burst = run_burst<Column, vector_rounds>,
          .pool = run_pool<Column>};
}

}  // namespace mallard::lab
