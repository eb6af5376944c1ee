// The time of `mallard advise --quick`, and what it is spent on.
#include "advise/time_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using mallard::advise::time_plan;
using mallard::advise::trial_plan;

time_plan plan_of(double program) {
  return {program, program};
}

// The seconds a trial takes when each run takes as long as the program, with what no budget stops.
double seconds_of(const trial_plan& plan, double program, bool needs_hook) {
  const double finds = needs_hook ? 1 : 0;
  const double hooks = !needs_hook ? 0 : plan.runs_as_it_is ? 2 : 1;
  return program * ((plan.runs_as_it_is ? 1 : 0) + finds + hooks + plan.most);
}

TEST(time_plan, is_three_times_the_program_and_65_seconds) {
  EXPECT_EQ(plan_of(10).seconds(), 95);
  EXPECT_EQ(time_plan(45, 10).seconds(), 95) << "other work made it take longer";
}

TEST(time_plan, is_as_long_as_the_user_says) {
  const time_plan plan(1, 1, true, 20);
  EXPECT_EQ(plan.seconds(), 20);
  EXPECT_LE(plan.last_start(), 20 - 1);
  EXPECT_LE(plan.race_seconds(5, 4), 20 - 5);
  const time_plan slow(6, 6, true, 15);  // which has passed when it was timed, sampled and recorded
  EXPECT_LE(slow.recording_seconds(12) + slow.replay_seconds(15), 5);
}

TEST(time_plan, no_replay_begins_that_could_not_decode_the_recording_twice) {
  time_plan plan(1, 1, true, 15);
  plan.has_read_in(0.5);
  EXPECT_TRUE(plan.can_replay(5));
  plan.has_read_in(3);
  EXPECT_FALSE(plan.can_replay(10));
}

TEST(time_plan, replays_leave_time_to_try_the_best) {
  for (const double program : {0.1, 1.0, 5.0, 10.0, 12.0}) {
    const time_plan plan = plan_of(program);
    const double recorded = 2.5 * program + 2;  // timed, recorded and read
    const double replayed = recorded + plan.replay_seconds(recorded);
    const trial_plan trial = plan.trial(replayed, true);
    EXPECT_GE(trial.most, 1u) << program;
    EXPECT_LE(replayed + seconds_of(trial, program, true), plan.seconds()) << program;
  }
}

TEST(time_plan, replays_that_leave_no_time_to_try_a_resource_are_known_before) {
  const double program = 8;
  const time_plan plan = plan_of(program);
  for (const double passed : {20.0, 30.0, 40.0, 50.0, 60.0}) {
    const double replayed = passed + plan.replay_seconds(passed);
    if (plan.trial(replayed, true).most > 0) {
      EXPECT_TRUE(plan.can_try_after_replays(passed)) << passed;
    }
  }
  EXPECT_TRUE(plan.can_try_after_replays(20));
  EXPECT_FALSE(plan.can_try_after_replays(60));
}

TEST(time_plan, replays_that_hardly_decode_the_trace_in_their_time_are_not_begun) {
  time_plan plan(1, 1, true, 20);
  EXPECT_TRUE(plan.can_try_after_replays(5));
  plan.has_read_in(1);
  EXPECT_TRUE(plan.can_try_after_replays(5));
  plan.has_read_in(2);
  EXPECT_FALSE(plan.can_try_after_replays(5));
}

TEST(time_plan, a_short_program_is_recorded_to_its_end) {
  for (const double program : {0.1, 1.0, 5.0, 10.0}) {
    EXPECT_GE(plan_of(program).recording_seconds(program), 2 * program) << program;
  }
}

TEST(time_plan, a_long_one_is_recorded_for_as_long_as_leaves_time_to_try_the_best) {
  for (const double program : {30.0, 60.0, 90.0}) {
    const time_plan plan = plan_of(program);
    const double recorded = program + plan.recording_seconds(program);
    EXPECT_LT(recorded, 2.2 * program) << program;
    const double replayed = recorded + plan.replay_seconds(recorded);
    EXPECT_GE(plan.trial(replayed, false).most, 1u) << program;
  }
}

TEST(time_plan, whatever_the_load_it_ends_in_time) {
  for (const double slower : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    const time_plan plan(10 * slower, 10);
    double passed = 10 * slower;
    passed += std::min(2 * 10 * slower, plan.recording_seconds(passed));
    passed += plan.replay_seconds(passed);
    const trial_plan trial = plan.trial(passed, true);
    if (trial.most > 0) passed += seconds_of(trial, 10 * slower, true);
    EXPECT_LT(passed, 100) << slower;
  }
}

TEST(time_plan, where_time_is_short_the_program_is_not_run_as_it_is_again) {
  const trial_plan trial = plan_of(30).trial(40, true);
  EXPECT_EQ(trial.most, 1u);
  EXPECT_FALSE(trial.runs_as_it_is);
}

TEST(time_plan, a_malloc_needs_fewer_runs_than_a_resource) {
  EXPECT_EQ(plan_of(60).trial(150, true).most, 0u);
  EXPECT_EQ(plan_of(60).trial(150, false).most, 1u);
}

TEST(time_plan, where_all_ways_do_not_fit_one_run_of_each_malloc_may) {
  const time_plan plan = plan_of(8);
  EXPECT_EQ(plan.race_seconds(30, 7), 0) << "a round and a half of all";
  EXPECT_GT(plan.race_seconds(30, 3, 1), 0);
  EXPECT_EQ(plan.race_seconds(60, 3, 1), 0);
}

TEST(time_plan, a_trial_begins_no_run_that_there_is_no_time_for) {
  for (const double program : {1.0, 4.0, 8.0, 20.0, 30.0}) {
    const time_plan plan = plan_of(program);
    for (double passed = program; passed < plan.seconds(); passed += 0.5) {
      const trial_plan trial = plan.trial(passed, true);
      if (trial.most == 0) continue;
      const double way = passed + seconds_of(trial, program, true) - program * trial.most;
      EXPECT_LE(way, plan.last_start()) << program << ' ' << passed;
    }
  }
}

TEST(time_plan, a_race_leaves_time_for_a_second_look_where_it_has_rounds_enough) {
  const time_plan plan = plan_of(1);
  EXPECT_LT(plan.without_second_look(50, 5), 50);
  EXPECT_EQ(plan.without_second_look(20, 5), 20);
  EXPECT_EQ(plan.without_second_look(40, 5), 40) << "not the five that prove the best";
}

TEST(time_plan, a_short_program_is_tried_in_more_ways) {
  EXPECT_EQ(plan_of(0.5).trial(25, true).most, 3u);
  EXPECT_EQ(plan_of(8).trial(20, true).most, 2u);
  EXPECT_EQ(plan_of(8).trial(30, true).most, 1u);
}

TEST(time_plan, has_time_to_compare_all_ways_of_a_short_program_that_allocates_little) {
  EXPECT_TRUE(plan_of(0.2).has_time_for(5, 14, 1e6));
  EXPECT_FALSE(plan_of(2).has_time_for(5, 14, 1e6));
  EXPECT_FALSE(plan_of(0.2).has_time_for(5, 14, 1e8)) << "the way to a resource takes longer";
}

}  // namespace
