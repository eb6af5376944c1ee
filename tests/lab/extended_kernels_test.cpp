// The kernels of the benches of extended allocators: what they do to the memory, and that every
// column does the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/kernels/counting.hpp"
#include "lab/kernels/extended_arenas.hpp"
#include "lab/kernels/mixed.hpp"
#include "lab/kernels/resizing.hpp"
#include "lab/measuring/contender.hpp"
#include "lab/measuring/errand.hpp"

namespace mallard::lab {
namespace {

using testing::Contains;

std::optional<double> value_of(const outcome& read, std::string_view name) {
  return read.has(name) ? std::optional(read.value_of(name)) : std::nullopt;
}

template <class Work>
outcome measure_one(kernel_of<Work> run, const Work& work) {
  readings taken;
  run(work, taken);
  outcome read;
  read.taken.assign(taken.all().begin(), taken.all().end());
  read.checksum = taken.checksum;
  return read;
}

// Runs the kernels of all columns: the same checksum, no figure below zero. Returns the columns.
template <class Work, class Find>
std::vector<std::string> expect_same_work(const Work& work, const Find& find) {
  std::set<std::uint64_t> checksums;
  std::vector<std::string> names;
  for (const column& where : extended_columns()) {
    const kernel_of<Work> run = find(where);
    if (!run) continue;
    names.push_back(column_name(where.strategy, where.peer));
    const outcome taken = measure_one(run, work);
    for (const reading& one : taken.taken) EXPECT_GE(one.value, 0) << names.back() << one.what();
    EXPECT_NE(taken.checksum, 0U) << names.back();
    checksums.insert(taken.checksum);
  }
  EXPECT_EQ(checksums.size(), 1U);
  return names;
}

bool with_boost() {
  return find_shrink_kernel({"v2", "mallard"}) != nullptr;
}

kernel_of<growth_work> growth_of(const char* strategy, const char* peer, growth_form form) {
  return find_growth_kernel({strategy, peer}, element_type::wrapped_int, form);
}

TEST(extended_kernels, every_column_does_the_same_work) {
  using enum element_type;
  for (const auto type : {wrapped_int, pod64, string}) {
    for (const auto form : {growth_form::alone, growth_form::among, growth_form::backward}) {
      const growth_work work{3, 200, type, form};
      const auto names = expect_same_work(
          work, [&](const column& one) { return find_growth_kernel(one, type, form); });
      EXPECT_THAT(names, Contains("std@std"));
    }
    expect_same_work(shrink_work{2, 203, type}, find_shrink_kernel);
  }
  for (const auto what : {node_container::list, node_container::stable_vector}) {
    if (what == node_container::stable_vector && !with_boost()) continue;
    expect_same_work(burst_work{2000, 100},
                     [&](const column& one) { return find_burst_kernel(one, what); });
  }
  expect_same_work(pool_work{2000, 1}, find_pool_kernel);
  expect_same_work(pool_work{2000, 50}, find_pool_kernel);
  const auto resizing = expect_same_work(realloc_work{2, 300000, 150, 0}, find_realloc_kernel);
  EXPECT_THAT(resizing, testing::ElementsAre("realloc@global", "remap@mallard"));
  expect_same_work(realloc_work{2, 300000, 0, 65536}, find_realloc_kernel);
  const auto heaps = expect_same_work(mixed_work{256, 4000, 16, 65536, 1}, find_mixed_kernel);
  for (const char* name : {"AS1@global", "heap@mallard", "pool@std"}) {
    EXPECT_THAT(heaps, Contains(name));
  }
}

TEST(extended_kernels, realloc_is_for_elements_that_may_move_as_bytes) {
  using enum element_type;
  const column realloc = {"realloc", "global"};
  EXPECT_NE(find_growth_kernel(realloc, pod64, growth_form::alone), nullptr);
  EXPECT_NE(find_growth_kernel(realloc, pod64, growth_form::among), nullptr);
  EXPECT_EQ(find_growth_kernel(realloc, pod64, growth_form::backward), nullptr);
  EXPECT_EQ(find_growth_kernel(realloc, wrapped_int, growth_form::alone), nullptr);
  EXPECT_EQ(find_growth_kernel(realloc, string, growth_form::alone), nullptr);
  EXPECT_EQ(find_growth_kernel({"v2", "global"}, pod64, growth_form::alone), nullptr);
}

TEST(extended_kernels, growth_counts_the_calls_of_one_vector) {
  // libstdc++ doubles: 1, 2, 4 ... 1024.
  const outcome taken = measure_one(growth_of("std", "std", growth_form::alone),
                                    {5, 1000, element_type::wrapped_int, growth_form::alone});
  EXPECT_EQ(value_of(taken, "calls"), 11);
  EXPECT_EQ(value_of(taken, "capacity"), 1024);
  EXPECT_EQ(value_of(taken, "success"), std::nullopt);
  const outcome among = measure_one(growth_of("std", "std", growth_form::among),
                                    {1, 1000, element_type::wrapped_int, growth_form::among});
  EXPECT_EQ(value_of(among, "calls"), 11);
  const outcome behind = measure_one(growth_of("std", "std", growth_form::backward),
                                     {1, 1000, element_type::wrapped_int, growth_form::backward});
  EXPECT_EQ(value_of(behind, "calls"), 11);
}

TEST(extended_kernels, success_is_that_of_allocators_which_can_try) {
  if (!with_boost()) GTEST_SKIP();
  const auto success = [](const char* strategy, const char* peer, growth_form form) {
    return value_of(
        measure_one(growth_of(strategy, peer, form), {4, 2000, element_type::wrapped_int, form}),
        "success");
  };
  for (const char* peer : {"mallard", "boost"}) {
    for (const auto form : {growth_form::alone, growth_form::backward}) {
      EXPECT_EQ(success("v1", peer, form), std::nullopt);
      EXPECT_EQ(success("v2-none", peer, form), std::nullopt);
    }
    EXPECT_GT(success("v2", peer, growth_form::alone), 0) << peer;
    EXPECT_GT(success("v2-bwd", peer, growth_form::backward), 0) << peer;
    // Nothing is 64 KiB large.
    EXPECT_EQ(success("v2", peer, growth_form::among), std::nullopt) << peer;
  }
  // Other blocks in Boost's one heap may be in the way.
  EXPECT_EQ(success("v2", "mallard", growth_form::alone), 1);
}

TEST(extended_kernels, shrinking_in_place_is_counted) {
  if (!with_boost()) GTEST_SKIP();
  const shrink_work work{1, 1000, element_type::pod64};
  EXPECT_EQ(value_of(measure_one(find_shrink_kernel({"v2", "mallard"}), work), "success"), 1);
  EXPECT_EQ(value_of(measure_one(find_shrink_kernel({"v1", "mallard"}), work), "success"),
            std::nullopt);
}

TEST(extended_kernels, bursts_are_one_call_for_a_range) {
  if (!with_boost()) GTEST_SKIP();
  const burst_work work{1000, 100};
  const auto calls = [&](const char* strategy, const char* peer) {
    const auto run = find_burst_kernel({strategy, peer}, node_container::list);
    return value_of(measure_one(run, work), "calls");
  };
  for (const char* peer : {"mallard", "boost"}) {
    EXPECT_EQ(calls("v1", peer), 2000) << peer;
    EXPECT_EQ(calls("v2", peer), 20) << peer;
    EXPECT_EQ(calls("adaptive", peer), 20) << peer;
  }
  EXPECT_EQ(calls("std", "std"), 2000);
}

TEST(extended_kernels, pools_tell_what_they_hold) {
  if (!with_boost()) GTEST_SKIP();
  constexpr std::uint64_t nodes = 200000;
  constexpr double node_bytes = 24;
  const auto figures = [](const char* strategy, const char* peer) {
    return measure_one(find_pool_kernel({strategy, peer}), {nodes, 10});
  };
  // Simple segregated storage keeps everything it once had; an adaptive pool, two blocks.
  EXPECT_GE(value_of(figures("node", "mallard"), "in_use_after_erase"), nodes * node_bytes);
  for (const char* strategy : {"adaptive", "own-adaptive"}) {
    const outcome ours = figures(strategy, "mallard");
    EXPECT_LE(value_of(ours, "in_use_after_erase"), 2 * 65536) << strategy;
    EXPECT_LE(value_of(ours, "overhead"), 0.03) << strategy;
    EXPECT_GT(value_of(ours, "overhead"), 0) << strategy;
  }
  const outcome heap = figures("v1", "boost");
  EXPECT_NEAR(value_of(heap, "overhead").value_or(0), 1 / 3.0, 0.01);
  EXPECT_EQ(value_of(figures("std", "boost"), "overhead"), std::nullopt);
  EXPECT_EQ(value_of(figures("fast_pool", "boost"), "in_use_after_erase"), std::nullopt);
}

TEST(extended_kernels, steps_end_at_the_final_size) {
  EXPECT_EQ(next_size({1, 1000000, 150, 0}, 4096), 6144U);
  EXPECT_EQ(next_size({1, 1000000, 0, 65536}, 65536), 131072U);
  EXPECT_EQ(next_size({1, 1000000, 200, 0}, 600000), 1000000U);
  EXPECT_EQ(first_size({1, 1000000, 200, 0}), 4096U);
  EXPECT_EQ(first_size({1, 1000000, 0, 65536}), 65536U);
  const outcome taken =
      measure_one(find_realloc_kernel({"realloc", "global"}), realloc_work{3, 1 << 20, 200, 0});
  // 4 KiB to 1 MiB: 8 steps.
  const double moved = value_of(taken, "moved").value_or(-1);
  EXPECT_NEAR(value_of(taken, "success").value_or(-1), 1 - moved / 8, 1e-9);
}

TEST(extended_kernels, sizes_of_mixed_blocks_are_spread_by_their_logarithms) {
  const log_uniform_sizes sizes(16, 65536, 1);
  std::uint64_t small = 0;
  for (std::uint64_t i = 0; i < 8192; ++i) {
    EXPECT_GE(sizes.pick(i), 16U);
    EXPECT_LT(sizes.pick(i), 65536U);
    small += sizes.pick(i) < 1024;
  }
  EXPECT_NEAR(static_cast<double>(small) / 8192, 0.5, 0.03);
}

TEST(counting, counts_what_reaches_the_allocator) {
  call_counts counts;
  std::vector<int, counting<std::allocator<int>>> v(count_calls(std::allocator<int>(), counts));
  for (int i = 0; i < 5; ++i) v.push_back(i);
  EXPECT_EQ(counts.allocations, 4U);  // for 1, 2, 4, 8
  EXPECT_EQ(counts.deallocations, 3U);
  EXPECT_EQ(counts.tried, 0U);
}

TEST(counting, tries_are_those_the_allocator_is_capable_of_and_large_enough) {
  heap_arena<without::nothing> memory;
  call_counts counts;
  counts.capable_of = forward_command;
  counts.counted_from = 64;
  auto allocator = count_calls(memory.make_allocator<int>(), counts);
  std::size_t count = 8;
  int* reuse = nullptr;
  int* p = allocator.allocation_command(1, 8, count, reuse);
  const auto grow = [&](unsigned command, std::size_t from, std::size_t to) {
    reuse = p;
    count = to;
    p = allocator.allocation_command(command | 1, from + 1, count, reuse);
  };
  grow(forward_command, 8, 16);  // of 32 bytes
  EXPECT_EQ(counts.tried, 0U);
  grow(backward_command, 16, 32);
  EXPECT_EQ(counts.tried, 0U);
  grow(forward_command, 32, 64);
  EXPECT_EQ(counts.tried, 1U);
  EXPECT_EQ(counts.done, reuse != nullptr ? 1U : 0U);
  EXPECT_EQ(counts.allocations, 4U);
  allocator.deallocate(p, count);
}

}  // namespace
}  // namespace mallard::lab
