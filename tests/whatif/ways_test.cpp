// The words on routes that are compared.
#include "whatif/ways.hpp"

#include <gtest/gtest.h>

namespace {

using namespace mallard;
using namespace mallard::whatif;

route_outcome outcome_of(std::uint64_t resets, std::uint64_t survivors) {
  return {.pattern = "f",
          .strategy = "monotonic",
          .blocks = 100'000,
          .resets = resets,
          .survivors = survivors};
}

TEST(whatif_ways, routes_of_many_calls_whose_blocks_are_dead_fit_turns) {
  EXPECT_TRUE(fit_turns(1, {outcome_of(1000, 0)}));
  EXPECT_TRUE(fit_turns(1, {outcome_of(64, 64)}));
  EXPECT_FALSE(fit_turns(1, {outcome_of(63, 0)}));
  EXPECT_FALSE(fit_turns(1, {outcome_of(1000, 0), outcome_of(1, 0)}));
}

TEST(whatif_ways, routes_whose_blocks_live_on_fit_none) {
  EXPECT_FALSE(fit_turns(1, {outcome_of(1000, 65)}));
  route_outcome few = outcome_of(1000, 50);
  few.blocks = 4000;
  EXPECT_FALSE(fit_turns(1, {few}));
  few.survivors = 0;
  few.passed_on = 50;
  EXPECT_FALSE(fit_turns(1, {few}));
  few.passed_on = 0;
  EXPECT_TRUE(fit_turns(1, {few}));
  few.freed_elsewhere = 50;
  EXPECT_FALSE(fit_turns(1, {few})) << "others' time is in no turn";
}

TEST(whatif_ways, a_short_run_has_no_time_for_turns) {
  EXPECT_FALSE(fit_turns(0.04, {outcome_of(1000, 0)}));
}

TEST(whatif_ways, an_arena_and_a_pool_have_the_same_blocks_and_not_the_same_way) {
  route_rules arena(1), pool(1);
  arena[0].how = strategy::monotonic;
  pool[0].how = strategy::multipool;
  arena[0].marks = pool[0].marks = 1;
  EXPECT_TRUE(have_same_conditions(arena, pool));
  EXPECT_FALSE(go_the_same_way(arena, pool));
  EXPECT_TRUE(are_scoped(arena));
  EXPECT_FALSE(are_scoped(pool));
  EXPECT_FALSE(are_scoped({}));
  pool[0].smallest = 8;
  EXPECT_FALSE(have_same_conditions(arena, pool));
}

}  // namespace
