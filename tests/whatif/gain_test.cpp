// The words on runs with routes.
#include "whatif/gain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "whatif/comparison.hpp"

namespace {

using mallard::whatif::gain_of;
using mallard::whatif::round_times;
using namespace mallard;

TEST(whatif_gain, is_of_what_is_left) {
  const auto gain = gain_of({{10, 8, 3, 0}, {10, 8, 3, 0}, {12, 9, 3, 0}}, 1);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->median, 2);
  EXPECT_EQ(gain->samples.size(), 3U);
}

TEST(whatif_gain, its_interval_holds_the_error_of_what_is_taken_off) {
  const auto gain = gain_of({{10, 8, 3, 1}, {10, 8, 3, 1}}, 1);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->median, 2);
  EXPECT_DOUBLE_EQ(gain->low, 10.0 / 6);
  EXPECT_DOUBLE_EQ(gain->high, 10.0 / 4);
}

TEST(whatif_gain, its_interval_holds_both_errors_as_independent_ones) {
  const std::vector<round_times> rounds = {{10, 8, 3, 1}, {10, 7, 3, 1}, {10, 9.25, 3, 1}};
  const auto gain = gain_of(rounds, 1);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->median, 2);  // of 2, 2.5 and 1.6
  EXPECT_DOUBLE_EQ(gain->low, 2 - std::hypot(0.4, 2 - 10.0 / 6));
  EXPECT_DOUBLE_EQ(gain->high, 2 + std::hypot(0.5, 10.0 / 4 - 2));
}

TEST(whatif_gain, noise_of_the_rounds_widens_the_interval_and_takes_no_round_away) {
  const auto gain = gain_of({{10, 8, 3, 0, 4}, {10, 8, 3, 0, 4}, {10, 8, 3, 0, 4}}, 1);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->median, 2);
  EXPECT_DOUBLE_EQ(gain->low, 10.0 / 9);
  EXPECT_DOUBLE_EQ(gain->high, 10.0);
}

// As of a program that does nothing but allocate: 263 ms as it is, 701 ms with routes, of which 685
// ms are taken off.
TEST(whatif_gain, is_not_told_of_a_rest_that_is_smaller_than_its_error) {
  EXPECT_FALSE(gain_of({{0.263, 0.701, 0.685, 0.12}, {0.26, 0.70, 0.69, 0.12}}, 1));
}

TEST(whatif_gain, is_told_where_most_rounds_tell_it) {
  EXPECT_TRUE(gain_of({{10, 8, 3, 1}, {10, 8, 3, 1}, {10, 4, 3, 1}}, 1));
  EXPECT_FALSE(gain_of({{10, 8, 3, 1}, {10, 4, 3, 1}}, 1));
  EXPECT_FALSE(gain_of({}, 1));
}

mallard::whatif::contender way(std::string name, double seconds,
                               const std::vector<double>& slower) {
  mallard::whatif::contender out{.name = std::move(name), .set = {}};
  for (const double times : slower) {
    out.runs.push_back({.seconds = seconds * times, .processor_seconds = seconds * times});
  }
  return out;
}

// The host was half as fast in three of five rounds for some, and in two for others, as a round
// begins and ends where the host likes.
TEST(whatif_comparison, rounds_in_which_all_is_slower_change_nothing) {
  std::vector<mallard::whatif::contender> all;
  const std::vector<double> early{1, 1.5, 1.5, 1, 1};
  all.push_back(way("as it is", 1, early));
  all.push_back(way("the hook alone", 2.5, {1, 1.5, 1.5, 1, 1.5}));
  all.back().hooked = all.back().is_control = true;
  all.push_back(way("with routes", 2, early));
  all.back().hooked = true;
  all.back().control = 1;
  all.back().routes.emplace_back();
  const mallard::whatif::comparison compared(all, 1);
  const auto gain = compared.gain(all.back());
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->median, 2);
  EXPECT_DOUBLE_EQ(compared.hook_seconds(all[1]), 1.5);
}

// As it is, the hook alone, a resource, and a malloc below it.
std::vector<whatif::contender> ways_in_turns(double malloc_seconds) {
  const auto taking = [](double seconds) {
    return whatif::run_figures{.seconds = seconds, .processor_seconds = seconds};
  };
  std::vector<whatif::contender> all(4);
  all[0].runs.assign(3, taking(1));
  all[2].runs.assign(3, taking(1.5));  // with the hook
  all[2].routes = {{"f", "monotonic"}};
  all[2].in_turns = true;
  all[3].runs.assign(3, taking(malloc_seconds));
  return all;
}

TEST(whatif_gain, of_turns_is_what_they_save_of_the_programs_time) {
  std::vector<whatif::contender> all = ways_in_turns(0.8);
  all[2].saved.assign(3, std::vector<double>(16, 0.5));
  const auto alone = whatif::comparison(all, 1).gain(all[2]);
  ASSERT_TRUE(alone);
  EXPECT_DOUBLE_EQ(alone->median, 2);
  all[2].below = 3;
  all[2].saved.assign(3, std::vector<double>(16, 0.4));
  const auto beside = whatif::comparison(all, 1).gain(all[2]);
  ASSERT_TRUE(beside);
  EXPECT_DOUBLE_EQ(beside->median, 2.5);
}

TEST(whatif_gain, of_turns_is_as_wide_as_their_groups_differ) {
  std::vector<whatif::contender> all = ways_in_turns(1);
  all[2].saved.assign(3, std::vector<double>(16, 0.5));
  const auto same = whatif::comparison(all, 1).gain(all[2]);
  for (std::vector<double>& run : all[2].saved) {
    for (std::size_t i = 0; i < run.size(); i += 2) run[i] = i % 4 == 0 ? 0.1 : 0.9;
  }
  const auto differing = whatif::comparison(all, 1).gain(all[2]);
  ASSERT_TRUE(same && differing);
  EXPECT_LT(differing->low, same->low);
  EXPECT_GT(differing->high, same->high);
}

// A host slowed the run, and what was saved in it.
TEST(whatif_gain, of_turns_is_the_same_where_a_host_slows_single_runs) {
  std::vector<whatif::contender> all = ways_in_turns(1);
  all[2].saved.assign(3, std::vector<double>(16, 0.5));
  all[2].saved[1].assign(16, 1);
  all[2].runs[1].processor_seconds *= 2;
  const auto gain = whatif::comparison(all, 1).gain(all[2]);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->median, 2);
  all[0].runs.resize(1);
  const auto few = whatif::comparison(all, 1).gain(all[2]);
  ASSERT_TRUE(few);
  EXPECT_GT(few->high - few->low, gain->high - gain->low);
}

// Half of the program's time is its own work, which takes half as long again beside the hook.
TEST(whatif_gain, of_turns_is_less_where_the_hook_slows_the_programs_own_work) {
  std::vector<whatif::contender> all = ways_in_turns(1);
  all[2].saved.assign(3, std::vector<double>(16, 0.5));
  all[0].looks = {1000, 500};
  all[2].looks = {100, 50};
  EXPECT_DOUBLE_EQ(whatif::comparison(all, 1).gain(all[2])->median, 2) << "too few looks";
  all[2].looks = {1000, 500};
  EXPECT_DOUBLE_EQ(whatif::comparison(all, 1).gain(all[2])->median, 1.5);
  all[2].looks = {1000, 900};
  EXPECT_DOUBLE_EQ(whatif::comparison(all, 1).gain(all[2])->median, 2) << "no hook hastens it";
}

// Half of the time seems to be saved, and samples find three tenths of it in the heap.
TEST(whatif_gain, of_turns_is_hardly_more_than_the_heaps_share) {
  std::vector<whatif::contender> all = ways_in_turns(1);
  all[2].saved.assign(3, std::vector<double>(16, 0.5));
  all[0].looks = {1000, 300};
  EXPECT_DOUBLE_EQ(whatif::comparison(all, 1).gain(all[2])->median, 1 / 0.6);
  all[0].looks = {100, 30};
  EXPECT_DOUBLE_EQ(whatif::comparison(all, 1).gain(all[2])->median, 2) << "too few looks";
}

TEST(whatif_gain, of_what_serves_all_is_less_where_the_hook_slows_the_programs_own_work) {
  std::vector<whatif::contender> all;
  all.push_back(way("as it is", 1, {1, 1, 1}));
  all.push_back(way("the hook alone", 2.5, {1, 1, 1}));
  all.back().hooked = all.back().is_control = true;
  all.push_back(way("with routes", 2, {1, 1, 1}));
  all.back().hooked = true;
  all.back().control = 1;
  all.back().routes.emplace_back();
  EXPECT_DOUBLE_EQ(whatif::comparison(all, 1).gain(all[2])->median, 2);
  all[0].looks = {1000, 500};
  all[2].looks = {1000, 500};
  EXPECT_DOUBLE_EQ(whatif::comparison(all, 1).gain(all[2])->median, 1 / 0.75);
}

TEST(whatif_gain, of_runs_without_turns_is_none) {
  std::vector<whatif::contender> all = ways_in_turns(1);
  EXPECT_FALSE(whatif::comparison(all, 1).gain(all[2]));
  all[2].saved.assign(3, std::vector<double>());
  EXPECT_FALSE(whatif::comparison(all, 1).gain(all[2]));
  const auto remark = [&] { return whatif::comparison(all, 1).outcome(all[2], true).remark; };
  EXPECT_EQ(remark(), "there are too few turns of its scope to tell what is saved");
  all[2].saved.assign(3, std::vector<double>(16, 1.1));  // seconds of one
  EXPECT_EQ(remark(), "too much of its time is saved to measure the rest in 3 runs");
}

}  // namespace
