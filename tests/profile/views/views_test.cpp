#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/analysis.hpp"
#include "profile/sites.hpp"
#include "profile/trace_script.hpp"
#include "profile/views/activity.hpp"
#include "profile/views/address_map.hpp"
#include "profile/views/lifetimes.hpp"
#include "profile/views/stack_history.hpp"
#include "profile/views/timeline.hpp"
#include "profile/views/trace_views.hpp"

namespace mallard::profile {
namespace {

using testing::ElementsAre;

TEST(timeline, says_what_lives_at_the_highest_instant_of_each_stretch) {
  timeline_builder builder({"a", "b"}, 2400);
  builder.born(0, 100, 0);
  builder.born(1, 7, 10);  // at the very end of the first stretch
  builder.died(0, 100, 11);
  builder.born(0, 30, 2400);
  const timeline made = builder.finish();
  ASSERT_EQ(made.times.size(), timeline_builder::stretches);
  EXPECT_EQ(made.times.front(), 10u);
  EXPECT_EQ(made.times.back(), 2400u);
  EXPECT_EQ(made.live[0].front(), 100u);
  EXPECT_EQ(made.live[1].front(), 7u);
  EXPECT_EQ(made.live[0][1], 100u);  // until it dies in there
  EXPECT_EQ(made.live[0][2], 0u);
  EXPECT_EQ(made.live[0].back(), 30u);
}

TEST(timeline, shows_a_peak_that_is_shorter_than_a_stretch) {
  timeline_builder builder({"a", "b"}, 2400);
  builder.born(0, 10, 0);
  builder.born(1, 1000, 101);
  builder.born(0, 5, 102);
  builder.died(1, 1000, 103);
  builder.born(0, 7, 104);
  const timeline made = builder.finish();
  EXPECT_EQ(made.live[0][10], 15u);
  EXPECT_EQ(made.live[1][10], 1000u);
  EXPECT_EQ(made.live[0][11], 22u);
  EXPECT_EQ(made.live[1][11], 0u);
}

TEST(stack_history, has_what_each_stack_does_in_each_step_of_time) {
  constexpr std::uint64_t length = 100;
  stack_history_builder builder(3, length * stack_history_builder::steps - 1);
  ASSERT_EQ(builder.step_ns(), length);
  builder.operation(1, 0);
  builder.born(1, 50, 0);
  builder.operation(2, 10);
  builder.born(2, 5, 10);
  builder.operation(1, 99);
  builder.died(2, 5, 99);
  builder.operation(1, 250);
  builder.died(1, 50, 250);
  const std::vector<stack_step> made = builder.take();
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].stack, 1u);
  EXPECT_EQ(made[0].bytes, 50u);
  EXPECT_EQ(made[0].operations, 2u);
  EXPECT_EQ(made[0].growth, 50);
  EXPECT_EQ(made[1].stack, 2u);
  EXPECT_EQ(made[1].growth, 0);
  EXPECT_EQ(made[2].step, 2u);
  EXPECT_EQ(made[2].growth, -50);
}

TEST(stack_history, has_what_each_stack_had_when_most_lived_in_the_step) {
  constexpr std::uint64_t length = 100;
  stack_history_builder builder(3, length * stack_history_builder::steps - 1);
  builder.born(1, 50, 0);
  builder.born(2, 500, 10);  // most lives
  builder.died(2, 400, 20);
  builder.born(1, 30, 30);
  builder.born(1, 10, 110);
  builder.died(2, 100, 120);
  builder.born(1, 500, 130);  // and now
  builder.died(1, 580, 300);
  const std::vector<stack_step> made = builder.take();
  ASSERT_EQ(made.size(), 5u);
  EXPECT_EQ(made[0].growth, 80);
  EXPECT_EQ(made[0].growth_to_peak, 50);
  EXPECT_EQ(made[1].growth, 100);
  EXPECT_EQ(made[1].growth_to_peak, 500);
  EXPECT_EQ(made[2].growth_to_peak, 510);
  EXPECT_EQ(made[3].growth_to_peak, -100);
  EXPECT_EQ(made[4].growth, -580);
  EXPECT_EQ(made[4].growth_to_peak, 0);
}

TEST(timeline, an_epoch_ends_when_nothing_of_the_subsystem_lives) {
  timeline_builder builder({"a"}, 1000);
  builder.born(0, 1, 10);
  builder.born(0, 1, 20);
  builder.died(0, 1, 30);
  builder.died(0, 1, 40);
  builder.born(0, 1, 50);
  const timeline made = builder.finish();
  ASSERT_EQ(made.epochs[0].count, 2u);
  EXPECT_EQ(made.epochs[0].shown[0].from, 10u);
  EXPECT_EQ(made.epochs[0].shown[0].to, 40u);
  EXPECT_EQ(made.epochs[0].shown[1].to, 1000u);
}

TEST(timeline, takes_times_beyond_the_end_and_a_duration_of_nothing) {
  timeline_builder builder({"a"}, 0);
  builder.born(0, 5, 99);
  const timeline made = builder.finish();
  EXPECT_EQ(made.times.size(), timeline_builder::stretches);
  EXPECT_EQ(made.epochs[0].count, 1u);
}

TEST(timeline, many_epochs_are_counted_and_the_first_ones_shown) {
  timeline_builder builder({"a"}, 10'000);
  for (std::uint64_t t = 0; t < 5000; ++t) {
    builder.born(0, 1, 2 * t);
    builder.died(0, 1, 2 * t + 1);
  }
  const timeline made = builder.finish();
  EXPECT_EQ(made.epochs[0].count, 5000u);
  EXPECT_EQ(made.epochs[0].shown.size(), timeline_builder::most_epochs_shown);
}

TEST(lifetimes, have_a_row_for_each_doubling_and_a_column_for_each_power_of_ten) {
  lifetime_builder builder(1);
  builder.died(16, 0, 999);
  builder.died(31, 0, 1000);
  builder.died(32, 0, 9999);
  builder.outlived(64, 0);
  const lifetime_map made = builder.finish();
  EXPECT_THAT(made.sizes, ElementsAre(16u, 32u, 64u));
  ASSERT_EQ(made.lives.size(), 11u);
  EXPECT_EQ(made.lives[1], 1000u);
  EXPECT_EQ(made.lives.back(), std::nullopt);
  EXPECT_EQ(made.blocks[0][0], 1u);
  EXPECT_EQ(made.blocks[0][1], 1u);
  EXPECT_EQ(made.bytes[1][1], 32u);
  EXPECT_EQ(made.blocks[2].back(), 1u);
}

TEST(lifetimes, take_the_smallest_and_the_largest) {
  lifetime_builder builder(1);
  builder.died(0, 0, 0);
  builder.died(UINT64_MAX, UINT64_MAX, UINT64_MAX);
  const lifetime_map made = builder.finish();
  EXPECT_EQ(made.sizes.front(), 0u);
  EXPECT_EQ(made.blocks.front().front(), 1u);
  EXPECT_EQ(made.blocks.back().back(), 1u);
}

TEST(lifetimes, are_known_of_the_blocks_of_each_step) {
  lifetime_builder builder(100);
  builder.outlived(64, 250);
  builder.died(16, 99, 5000);  // of the first step, whenever it dies
  builder.died(16, 0, 5000);
  const lifetime_map made = builder.finish();
  ASSERT_EQ(made.steps.size(), 2u);
  EXPECT_EQ(made.steps[0].step, 0u);
  EXPECT_EQ(made.steps[0].row, 0u);
  EXPECT_EQ(made.steps[0].column, 0u);
  EXPECT_EQ(made.steps[0].blocks, 2u);
  EXPECT_EQ(made.steps[0].bytes, 32u);
  EXPECT_EQ(made.steps[1].step, 2u);
  EXPECT_EQ(made.steps[1].row, 2u);
  EXPECT_EQ(made.steps[1].column, made.lives.size() - 1);
}

TEST(lifetimes, of_nothing_are_empty) {
  EXPECT_TRUE(lifetime_builder(1).finish().sizes.empty());
}

TEST(activity, counts_operations_and_remote_frees_by_thread_and_time) {
  activity_builder builder(1999);
  builder.operation(3, 0);
  builder.operation(3, 1999);
  builder.remote_free(3, 1999);
  builder.operation(8, 150);
  const thread_activity made = builder.finish({{3, "worker"}});
  EXPECT_THAT(made.threads, ElementsAre("worker", "thread 8"));
  EXPECT_EQ(made.operations[0].front(), 1u);
  EXPECT_EQ(made.remote[0].back(), 1u);
  EXPECT_EQ(made.operations[1][1], 1u);
}

TEST(activity, threads_beyond_the_busiest_are_one_row) {
  activity_builder builder(100);
  for (std::uint32_t thread = 0; thread < 50; ++thread) {
    for (std::uint32_t i = 0; i <= thread; ++i) builder.operation(thread, 0);
  }
  const thread_activity made = builder.finish({});
  ASSERT_EQ(made.threads.size(), activity_builder::most_threads);
  EXPECT_EQ(made.threads.back(), "11 others");
  EXPECT_EQ(made.operations.back()[0], 66u);  // 1 + 2 + … + 11
}

TEST(address_map, colours_a_cell_by_the_subsystem_with_most_bytes_in_it) {
  address_map_builder builder({"a", "b"});
  builder.begin(5);
  builder.add(0x10000, 1000, 0);
  builder.add(0x10400, 1048, 1);
  builder.add(0x20800, 4096, 0);  // over two pages
  builder.end();
  const address_map made = builder.finish();
  EXPECT_EQ(made.cell_bytes, 4096u);
  EXPECT_THAT(made.bases, ElementsAre(0x10000u, 0x20000u, 0x21000u));
  EXPECT_EQ(made.snapshots[0].live_bytes, 6144u);
  EXPECT_EQ(made.snapshots[0].cells[0].subsystem, 1);
  EXPECT_EQ(made.snapshots[0].cells[0].tenths, 4);  // 2048 of 4096 bytes
  EXPECT_EQ(made.snapshots[0].cells[1].subsystem, 0);
}

TEST(address_map, cells_of_other_instants_are_empty) {
  address_map_builder builder({"a"});
  builder.begin(1);
  builder.add(0x10000, 8, 0);
  builder.end();
  builder.begin(2);
  builder.add(0x90000, 8, 0);
  builder.end();
  const address_map made = builder.finish();
  EXPECT_EQ(made.snapshots[0].cells[1].subsystem, no_subsystem);
  EXPECT_EQ(made.snapshots[1].cells[0].subsystem, no_subsystem);
}

TEST(address_map, joins_cells_until_a_picture_can_show_them) {
  address_map_builder builder({"a"});
  builder.begin(1);
  builder.add(0x7f0000000000, std::uint64_t{64} << 20, 0);
  builder.end();
  const address_map made = builder.finish();
  EXPECT_LE(made.bases.size(), address_map_builder::most_cells);
  EXPECT_EQ(made.bases.size() * made.cell_bytes, std::uint64_t{64} << 20);
  EXPECT_EQ(made.snapshots[0].cells[7].tenths, 9);
}

TEST(views, show_every_block_of_the_trace_once) {
  const scratch_file file;
  trace_script script(file.path());
  script.call("main", 1, [&] {
    script.call("parse", 2, [&] { script.free(2, script.allocate(1, 100)); });
    script.call("keep", 3, [&] { script.allocate(1, 5000); });
  });
  script.finish();
  trace_reader trace(file.path());
  const function_table functions(trace);
  trace_analysis analysis(trace, functions, {});
  view_maker views(trace, functions, analysis.shown_subsystems(7));
  site_counter sites(trace, functions);
  block_watcher* const also[] = {&views, &sites};
  const dims_result dims = analysis.finish(also);
  const trace_views made = views.take(sites.weights());
  EXPECT_EQ(dims.total.live_bytes, 5000u);
  stack_weights sum;
  for (const profile_node& node : made.stacks.nodes) sum += node.own;
  EXPECT_EQ(sum.operations, 3u);
  EXPECT_EQ(sum.bytes, 5100u);
  EXPECT_EQ(sum.temporary, 1u);
  EXPECT_EQ(sum.leaked_blocks, 1u);
  ASSERT_EQ(made.addresses.snapshots.size(), 24u);
  EXPECT_EQ(made.addresses.snapshots.back().live_bytes, 5000u);
  EXPECT_EQ(sites.list(false).front().leaked_bytes, 5000u);
}

}  // namespace
}  // namespace mallard::profile
