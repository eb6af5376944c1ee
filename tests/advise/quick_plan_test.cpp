// How the time of `mallard advise --quick` is spent.
#include "advise/quick_plan.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advise::quick_plan;
using mallard::advise::trial_plan;

// What a trial takes when each run takes as long as the program, with what no budget stops.
double seconds_of(const trial_plan& plan, double program, bool needs_hook) {
  return program * ((plan.runs_as_it_is ? 1 : 0) + (needs_hook ? 1 : 0) + plan.most);
}

TEST(QuickPlan, IsThreeTimesTheProgramAndAMinute) {
  EXPECT_EQ(quick_plan(10).seconds(), 90);
}

TEST(QuickPlan, ReplaysLeaveTimeToTryTheBest) {
  for (const double program : {0.1, 1.0, 5.0, 10.0, 12.0}) {
    const quick_plan plan(program);
    const double recorded = 2.5 * program + 2;  // timed, recorded and read
    const double replayed = recorded + plan.replay_seconds(recorded);
    const trial_plan trial = plan.trial(replayed, true);
    EXPECT_GE(trial.most, 1u) << program;
    EXPECT_LE(replayed + seconds_of(trial, program, true), plan.seconds()) << program;
  }
}

TEST(QuickPlan, WhereTimeIsShortTheProgramIsNotRunAsItIsAgain) {
  const trial_plan trial = quick_plan(30).trial(75, true);
  EXPECT_EQ(trial.most, 1u);
  EXPECT_FALSE(trial.runs_as_it_is);
}

TEST(QuickPlan, AMallocNeedsFewerRunsThanAResource) {
  EXPECT_EQ(quick_plan(60).trial(150, true).most, 0u);
  EXPECT_EQ(quick_plan(60).trial(150, false).most, 1u);
}

TEST(QuickPlan, AShortProgramIsTriedInMoreWays) {
  EXPECT_EQ(quick_plan(0.5).trial(25, true).most, 3u);
  EXPECT_EQ(quick_plan(8).trial(40, true).most, 2u);
  EXPECT_EQ(quick_plan(8).trial(50, true).most, 1u);
}

}  // namespace
