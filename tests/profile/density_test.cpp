// The heap's share of a program's time: its interval, and that all of a result agrees with it.
#include "profile/density.hpp"

#include <gtest/gtest.h>

#include "profile/result_json.hpp"

namespace {

using namespace mallard::profile;

dims_result two_subsystems() {
  dims_result out;
  out.all.cpu_ns = 1000;
  out.all.allocation_ns = 200;
  subsystem large;
  large.cpu_ns = 600;
  large.allocation_ns = 150;
  large.windows.resize(1);
  large.windows[0].cpu_ns = 10;
  large.windows[0].allocation_ns = 30;
  subsystem small;
  small.cpu_ns = 0;
  small.allocation_ns = 50;
  out.subsystems = {large, small};
  return out;
}

TEST(density, many_looks_tell_more_than_few) {
  const heap_share few = share_of_looks(15, 100);
  const heap_share many = share_of_looks(1500, 10000);
  EXPECT_DOUBLE_EQ(few.share, 0.15);
  EXPECT_LT(few.low, 0.10);
  EXPECT_GT(few.high, 0.20);
  EXPECT_NEAR(many.low, 0.143, 0.002);
  EXPECT_NEAR(many.high, 0.157, 0.002);
}

TEST(density, no_look_in_the_heap_does_not_say_that_there_is_none) {
  const heap_share none = share_of_looks(0, 50);
  EXPECT_EQ(none.share, 0);
  EXPECT_EQ(none.low, 0);
  EXPECT_GT(none.high, 0.03);
  EXPECT_LT(none.high, 0.15);
}

TEST(density, of_many_samples_and_timed_operations_samples_decide) {
  subsystem all;
  all.cpu_ns = 1000;
  all.dims.D.scaled = 0.045;  // timed in place, and far too short
  all.looks = 4000;
  all.looks_in_heap = 600;
  const auto share = estimated_share(all);
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->share, 0.15, 0.01);
  EXPECT_LT(share->low, 0.08);  // the recorder slows operations, however many were seen
  EXPECT_FALSE(share->measured);
}

TEST(density, of_few_samples_timed_operations_count_and_the_interval_is_wide) {
  subsystem all;
  all.cpu_ns = 1000;
  all.dims.D.scaled = 0.1;
  all.looks = 5;
  all.looks_in_heap = 4;
  const auto share = estimated_share(all);
  ASSERT_TRUE(share);
  EXPECT_GT(share->share, 0.1);
  EXPECT_LT(share->share, 0.6);
  EXPECT_GT(share->high - share->low, 0.3);
}

TEST(density, nothing_is_said_without_processor_time) {
  EXPECT_FALSE(estimated_share({}));
}

TEST(density, subsystems_get_their_part_of_the_programs_share) {
  dims_result dims = two_subsystems();
  take_heap_share(dims, share_of_looks(400, 1000));
  EXPECT_EQ(dims.all.heap_ns, 400U);
  EXPECT_DOUBLE_EQ(*dims.all.dims.D.scaled, 0.4);
  EXPECT_EQ(dims.subsystems[0].heap_ns, 300U);
  EXPECT_DOUBLE_EQ(*dims.subsystems[0].dims.D.scaled, 0.5);
  EXPECT_EQ(dims.subsystems[1].heap_ns, 100U);
  EXPECT_EQ(dims.subsystems[0].allocation_ns, 150U);
}

// Its samples may be too few: then D is as much as it can be, and the heap's time adds up all the
// same.
TEST(density, the_parts_have_all_of_the_heaps_time_and_no_part_is_denser_than_can_be) {
  dims_result dims = two_subsystems();
  take_heap_share(dims, share_of_looks(1000, 1000));
  EXPECT_EQ(dims.subsystems[0].heap_ns, 750U);
  EXPECT_EQ(dims.subsystems[0].heap_ns + dims.subsystems[1].heap_ns, dims.all.heap_ns);
  EXPECT_DOUBLE_EQ(*dims.subsystems[0].dims.D.scaled, 1.0);
  EXPECT_DOUBLE_EQ(*dims.subsystems[0].windows[0].dims.D.scaled, 1.0);
}

TEST(density, a_measured_share_replaces_an_estimate) {
  dims_result dims = two_subsystems();
  take_heap_share(dims, share_of_looks(1000, 1000));
  take_heap_share(dims, share_of_looks(100, 1000));
  EXPECT_EQ(dims.subsystems[0].heap_ns, 75U);
  EXPECT_DOUBLE_EQ(*dims.subsystems[0].windows[0].dims.D.scaled, 1.0);
  EXPECT_DOUBLE_EQ(*dims.all.dims.D.scaled, 0.1);
}

TEST(density, json_keeps_it) {
  heap_share one = share_of_looks(3, 20);
  one.measured = true;
  const auto again = heap_share_from(to_json(std::optional(one)));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->share, one.share);
  EXPECT_EQ(again->low, one.low);
  EXPECT_EQ(again->high, one.high);
  EXPECT_EQ(again->looks, 20U);
  EXPECT_TRUE(again->measured);
  EXPECT_FALSE(heap_share_from(nullptr));
}

}  // namespace
