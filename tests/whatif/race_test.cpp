// The order in which ways leave a race.
#include "whatif/race.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace {

using mallard::whatif::contender;
using mallard::whatif::leaving;
using mallard::whatif::race;
using places = std::vector<std::size_t>;

TEST(whatif_race, nobody_leaves_where_each_round_has_room_for_all) {
  EXPECT_EQ(leaving({{1.2, 1}, {2, 1.5}, {1.5, 1}}, 3.5), places());
}

TEST(whatif_race, the_least_promising_leave_where_there_is_no_room) {
  EXPECT_EQ(leaving({{1.2, 1}, {2, 1.5}, {1.1, 1}, {1.5, 1}}, 2.9), (places{0, 2}));
}

TEST(whatif_race, two_stay_however_little_room_there_is) {
  EXPECT_EQ(leaving({{1.2, 1}, {2, 1.5}, {1.5, 1}}, -4), places{0});
}

contender running_for(std::string name, double seconds) {
  contender out{.name = std::move(name), .set = {}};
  out.first = {.seconds = seconds, .processor_seconds = seconds};
  out.runs = {out.first};
  return out;
}

// Mallocs that are close to each other, and an ideal one.
std::vector<contender> close_mallocs() {
  std::vector<contender> all = {running_for("as it is", 1.5),  running_for("hook alone", 1),
                                running_for("jemalloc", 1),    running_for("mallard", 0.9),
                                running_for("mimalloc", 1.05), running_for("tcmalloc", 1.1),
                                running_for("ideal", 0.9)};
  all[1].hooked = all[1].is_control = true;
  all[6].ideal = true;
  return all;
}

std::string running(const std::vector<contender>& all) {
  std::string out;
  for (const contender& one : all) {
    if (!one.fell_behind && !one.is_control) out += one.name + ' ';
  }
  return out;
}

TEST(whatif_race, what_is_close_stays_while_a_round_of_all_leaves_time_to_prove_the_best) {
  std::vector<contender> all = close_mallocs();
  race of(all, all.size(), 1, 30);  // a round of all takes 6.45 s, one of the best 2.4
  EXPECT_TRUE(of.goes_on(1, 13));
  EXPECT_EQ(running(all), "as it is jemalloc mallard mimalloc tcmalloc ideal ");
}

TEST(whatif_race, what_is_close_leaves_where_the_best_would_not_be_proved) {
  std::vector<contender> all = close_mallocs();
  race of(all, all.size(), 1, 30);
  EXPECT_TRUE(of.goes_on(1, 17));
  EXPECT_EQ(running(all), "as it is jemalloc mallard ");
}

// They would be wasted where a round of all does not fit.
TEST(whatif_race, the_leader_has_the_last_seconds) {
  std::vector<contender> all = close_mallocs();
  race of(all, all.size(), 1, 20);
  EXPECT_TRUE(of.goes_on(1, 17));
  EXPECT_EQ(running(all), "as it is mallard ");
  EXPECT_LE(of.seconds_of_a_round(), 3);
}

TEST(whatif_race, a_resource_that_gained_nothing_twice_does_not_take_the_time_of_mallocs) {
  std::vector<contender> all = {running_for("as it is", 1.5), running_for("hook alone", 1.6),
                                running_for("pool", 1.65), running_for("mallard", 0.9),
                                running_for("mimalloc", 1)};
  all[1].hooked = all[2].hooked = all[1].is_control = true;
  all[2].control = 1;
  for (contender& one : all) one.runs.push_back(one.first);
  race of(all, all.size(), 1, 40);
  EXPECT_TRUE(of.goes_on(2, 28));
  EXPECT_EQ(running(all), "as it is mallard mimalloc ");
}

TEST(whatif_race, a_way_that_is_to_stay_does_so_whatever_others_gain) {
  EXPECT_EQ(leaving({{1.2, 1, true}, {2, 1.5}, {1.5, 1}}, 2.5), places{2});
}

}  // namespace
