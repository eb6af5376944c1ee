// A trial on the living program confirms advice, or does not.
#include "advise/proof.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advice_text.hpp"
#include "advise/places.hpp"
#include "advise/trial.hpp"

namespace {

using namespace mallard::advise;
using mallard::strategy;
using testing::HasSubstr;
using testing::Not;

advice of(strategy how, const std::string& subsystem) {
  advice one;
  one.what = subsystem;
  one.from.how = how;
  one.from.where.subsystem = subsystem;
  one.gain = {1.3, 1.4, 1.5};
  one.confidence = "high";
  return one;
}

advice tried(strategy how, const std::string& subsystem, interval times, unsigned runs) {
  advice one = of(how, subsystem);
  one.tried = trial_figures{times, runs, 1.1};
  return one;
}

advice_report settled(std::vector<advice> advices) {
  advice_report report;
  report.advices = std::move(advices);
  report.heap = mallard::profile::heap_share{0.25, 0.2, 0.3, 400, true};
  settle(report);
  return report;
}

TEST(trial, what_does_not_hold_on_the_program_is_no_advice) {
  const advice_report report = settled(
      {tried(strategy::multipool, "a", {0.9, 0.95, 0.99}, 9), of(strategy::multipool, "b")});
  ASSERT_EQ(report.advices.size(), 1u);
  EXPECT_EQ(report.advices[0].from.where.subsystem, "b");
  EXPECT_EQ(report.others.back().why_not, "slower on the program");
  EXPECT_EQ(report.others.back().tried->times.median, 0.95);
}

TEST(trial, where_nothing_holds_to_leave_it_is_proved) {
  const advice_report report = settled({tried(strategy::multipool, "a", {0.99, 1.02, 1.05}, 9)});
  ASSERT_EQ(report.advices.size(), 1u);
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
  EXPECT_DOUBLE_EQ(report.advices[0].from.bound, 1 / 0.75);
  EXPECT_EQ(report.advices[0].confidence, "high");
  EXPECT_TRUE(report.proved);
}

TEST(trial, a_gain_that_is_not_sure_is_no_proof_for_leaving_it) {
  const advice_report report = settled({tried(strategy::multipool, "a", {0.96, 1.12, 1.24}, 7)});
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
  EXPECT_THAT(report.advices[0].what, HasSubstr("for now: multipool for a was 1.12"));
  EXPECT_EQ(report.advices[0].confidence, "low");
  EXPECT_FALSE(report.proved);
  EXPECT_THAT(report.proof, HasSubstr("differ too much"));
}

TEST(trial, a_malloc_of_which_nothing_is_known_is_no_advice) {
  advice guess = of(strategy::switch_malloc, "");
  guess.from.malloc = "mallard";
  guess.untold = "it was not replayed";
  const advice_report report = settled({guess});
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
  EXPECT_THAT(report.advices[0].what, HasSubstr("time was too short to compare anything"));
  EXPECT_EQ(report.advices[0].confidence, "low");
  EXPECT_THAT(report.proof, HasSubstr("give it more time"));
  EXPECT_EQ(report.others.back().from.malloc, "mallard");
}

TEST(trial, what_was_proved_has_no_doubts_of_replays_and_recordings) {
  advice one = tried(strategy::multipool, "a", {1.3, 1.4, 1.5}, 9);
  one.from.doubts = {{"the interval is wide", 1, true}, {"its blocks outlive replay_all(log)"}};
  const advice_report report = settled({one});
  ASSERT_EQ(report.advices[0].from.doubts.size(), 1u);
  EXPECT_EQ(report.advices[0].from.doubts[0].says, "its blocks outlive replay_all(log)");
}

TEST(trial, what_the_ideal_malloc_gained_is_the_bound_of_all) {
  advice_report report;
  report.advices = {tried(strategy::multipool, "a", {1.3, 1.4, 1.5}, 9)};
  report.others = {{of(strategy::heap, "b").from, {}, {}, "it was not tried"}};
  report.advices[0].from.bound = 1.1;  // an estimate from the recording
  report.bound = trial_figures{{1.8, 2, 2.2}, 7, 1};
  settle(report);
  EXPECT_EQ(report.advices[0].from.bound, 2);
  EXPECT_EQ(report.others[0].from.bound, 2);
  EXPECT_EQ(to_json(report)["bound"]["median"], 2);
}

TEST(trial, nothing_that_was_tried_is_above_the_bound) {
  advice_report report;
  report.advices = {tried(strategy::multipool, "a", {2.3, 2.4, 2.5}, 9)};
  report.bound = trial_figures{{1.8, 2, 2.2}, 7, 1};
  settle(report);
  EXPECT_EQ(report.bound->times.median, 2.4);
  EXPECT_EQ(report.advices[0].from.bound, 2.4);
}

TEST(trial, the_bound_says_whose_it_is_where_that_is_no_ideal_malloc) {
  advice_report report;
  report.advices = {tried(strategy::multipool, "a", {1.3, 1.4, 1.5}, 9)};
  report.bound = trial_figures{{1.1, 1.2, 1.3}, 7, 1};
  report.others = {
      {of(strategy::heap, "b").from, {}, {}, "", trial_figures{{0.9, 1.5, 1.6}, 5, 1}}};
  settle(report);
  EXPECT_EQ(report.bound->runs, 5U);
  EXPECT_EQ(report.bound_of, "heap for b");
}

TEST(trial, to_leave_it_is_as_sure_as_the_runs_of_what_ran_most) {
  const advice_report report = settled({tried(strategy::multipool, "a", {0.5, 0.5, 0.5}, 1),
                                        tried(strategy::heap, "b", {0.97, 0.98, 0.99}, 9)});
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
  EXPECT_TRUE(report.proved);
}

TEST(trial, after_one_run_that_gained_nothing_to_leave_it_is_not_proved) {
  const advice_report report = settled({tried(strategy::multipool, "a", {1, 1, 1}, 1)});
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
  EXPECT_EQ(report.advices[0].confidence, "low");
  EXPECT_FALSE(report.proved);
  EXPECT_EQ(report.others.back().why_not, "no clear difference in one run of the program");
}

// A malloc's trial in a program whose heap takes so much of its time.
advice_report settled_beside(const trial_figures& figures, const profile::heap_share& heap) {
  advice_report report;
  report.advices = {tried(strategy::switch_malloc, "a", figures.times, figures.runs)};
  report.heap = heap;
  settle(report);
  return report;
}

TEST(trial, one_run_that_gains_far_more_than_the_heap_takes_is_no_advice) {
  const advice_report report =
      settled_beside({{2.1, 2.1, 2.1}, 1}, {0.02, 0.012, 0.034, 400, true});
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
  EXPECT_THAT(report.advices[0].what, Not(HasSubstr("2.1")));
  EXPECT_THAT(report.others.back().why_not, HasSubstr("more than the heap takes"));
  ASSERT_FALSE(report.advices[0].from.doubts.empty());
  EXPECT_THAT(report.advices[0].from.doubts[0].says, HasSubstr("more than the heap's share"));
}

TEST(trial, a_few_runs_that_gain_where_the_heap_takes_next_to_nothing_are_no_advice) {
  const advice_report report = settled_beside({{1.14, 1.2, 1.28}, 3}, {0.001, 0, 0.007, 400, true});
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
  EXPECT_THAT(report.advices[0].what, Not(HasSubstr("1.2")));
}

TEST(trial, to_leave_it_is_for_now_where_nothing_was_tried_for_lack_of_time) {
  advice_report report;
  report.others = {{of(strategy::heap, "b").from, {}, {}, "there was no time left for it"}};
  settle(report);
  EXPECT_THAT(report.advices[0].what, HasSubstr("time was too short"));
  EXPECT_EQ(report.proof, "Not proved: give it more time.");
}

TEST(trial, one_run_has_no_interval_and_lowers_the_confidence) {
  const advice_report report = settled({tried(strategy::multipool, "a", {1.4, 1.4, 1.4}, 1)});
  EXPECT_FALSE(report.proved);
  EXPECT_EQ(report.proof, "Not proved: there was time to try it in one run of the program.");
  EXPECT_EQ(report.advices[0].confidence, "medium");
  EXPECT_EQ(tried_text(*report.advices[0].tried), "1.40 in one run");
  const auto json = to_json(report)["advice"][0]["tried"];
  EXPECT_TRUE(json["low"].is_null());
  EXPECT_EQ(json["median"], 1.4);
  EXPECT_EQ(json["runs"], 1);
  EXPECT_THAT(to_markdown(report), HasSubstr("| 1.40 in one run |"));
}

TEST(trial, the_fewer_runs_there_were_the_more_has_to_be_gained) {
  const auto advised = [](double times, unsigned runs, bool in_turns) {
    advice one = tried(strategy::monotonic, "a", {times, times, times}, runs);
    one.tried->in_turns = in_turns;
    return settled({one}).advices[0].from.how;
  };
  EXPECT_EQ(advised(1.2, 1, false), strategy::global);
  EXPECT_EQ(advised(1.3, 1, false), strategy::monotonic);
  EXPECT_EQ(advised(1.2, 2, false), strategy::monotonic);
  EXPECT_EQ(advised(1.1, 2, false), strategy::global);
  EXPECT_EQ(advised(1.1, 1, true), strategy::monotonic);  // turns within the run
}

TEST(trial, what_is_proved_is_not_given_up_for_memory_that_few_runs_have) {
  advice often = tried(strategy::monotonic, "a", {1.3, 1.36, 1.43}, 6);
  advice twice = tried(strategy::multipool, "a", {1.3, 1.4, 1.5}, 2);
  twice.tried->memory = 0.5;
  const advice_report report = settled({often, twice});
  EXPECT_EQ(report.advices[0].from.how, strategy::monotonic);
  EXPECT_TRUE(report.proved);
}

TEST(trial, few_runs_have_a_range_and_rank_by_its_low_end) {
  const advice_report report = settled({tried(strategy::multipool, "a", {1.3, 2.1, 3.2}, 2),
                                        tried(strategy::heap, "b", {1.6, 1.7, 1.8}, 2)});
  EXPECT_EQ(report.advices[0].from.where.subsystem, "b");
  EXPECT_EQ(tried_text(*report.advices[1].tried), "1.30 to 3.20 in 2 runs");
}

TEST(trial, what_ran_often_enough_is_proved_with_its_interval) {
  const advice_report report = settled({tried(strategy::multipool, "a", {1.2, 1.3, 1.4}, 5)});
  EXPECT_TRUE(report.proved);
  EXPECT_EQ(report.proof, "Proved on the program, in 5 runs.");
  EXPECT_EQ(report.advices[0].confidence, "high");
  EXPECT_EQ(tried_text(*report.advices[0].tried), "1.30 (1.20 to 1.40) in 5 runs");
}

TEST(trial, a_program_that_dies_of_a_signal_has_no_proof_and_its_death_is_told_first) {
  advice_report report;
  report.advices = {tried(strategy::multipool, "a", {0.99, 1, 1.01}, 9)};
  report.died_of = "signal 6 (Aborted)";
  settle(report);
  EXPECT_FALSE(report.proved);
  EXPECT_THAT(report.advices[0].what,
              testing::StartsWith("The program dies of signal 6 (Aborted): "));
  EXPECT_EQ(report.proof, "Not proved: the program dies of signal 6 (Aborted) each time.");
  EXPECT_EQ(report.advices[0].confidence, "low");
}

TEST(trial, a_way_that_ran_twice_is_behind_one_that_ran_often_unless_it_is_clearly_faster) {
  const advice often = tried(strategy::multipool, "often", {1.2, 1.3, 1.4}, 5);
  const auto first = [&](double times) {
    return settled({tried(strategy::multipool, "twice", {times, times, times}, 2), often})
        .advices[0]
        .from.where.subsystem;
  };
  EXPECT_EQ(first(1.33), "often");
  EXPECT_EQ(first(1.5), "twice");
}

TEST(trial, a_malloc_is_before_a_resource_for_main_that_is_as_fast) {
  advice malloc = tried(strategy::switch_malloc, "", {1.15, 1.21, 1.27}, 5);
  const auto first = [&](const std::string& place, double times) {
    advice resource = tried(strategy::monotonic, place, {times - 0.05, times, times + 0.05}, 5);
    resource.from.where.is_cpp = true;
    return settled({resource, malloc}).advices[0].from.how;
  };
  EXPECT_EQ(first("main", 1.22), strategy::switch_malloc);
  EXPECT_EQ(first("main", 1.4), strategy::monotonic);
  EXPECT_EQ(first("read", 1.22), strategy::monotonic);
  EXPECT_EQ(first("read", 1.19), strategy::monotonic);
}

// By hand it gains less than when tried.
TEST(trial, a_malloc_is_before_a_pool_that_is_as_fast) {
  const advice malloc = tried(strategy::switch_malloc, "", {1.2, 1.25, 1.3}, 9);
  const auto first = [&](strategy how, double times) {
    return settled({tried(how, "read", {times - 0.1, times, times + 0.1}, 9), malloc})
        .advices[0]
        .from.how;
  };
  EXPECT_EQ(first(strategy::multipool, 1.28), strategy::switch_malloc);
  EXPECT_EQ(first(strategy::multipool, 1.34), strategy::switch_malloc);  // from 1.24 on
  EXPECT_EQ(first(strategy::multipool, 1.5), strategy::multipool);
  EXPECT_EQ(first(strategy::multipool_on_monotonic, 1.5), strategy::switch_malloc);
}

TEST(trial, a_pool_on_an_arena_is_not_preferred_for_its_memory) {
  advice frugal = tried(strategy::multipool_on_monotonic, "a", {1.5, 1.6, 1.75}, 9);
  frugal.tried->memory = 0.5;
  const advice_report report =
      settled({tried(strategy::monotonic, "a", {1.6, 1.7, 1.8}, 9), frugal});
  EXPECT_EQ(report.advices[0].from.how, strategy::monotonic);
}

// By hand, containers of a pool gain less than the trial: they call it for each free.
TEST(trial, an_arena_comes_before_a_pool_of_its_place_that_is_as_fast) {
  const advice pool = tried(strategy::multipool, "a", {1.25, 1.3, 1.35}, 9);
  advice arena = tried(strategy::monotonic, "a", {1.24, 1.29, 1.34}, 9);
  const advice_report report = settled({pool, arena});
  EXPECT_EQ(report.advices[0].from.how, strategy::monotonic);
  EXPECT_THAT(report.others.back().why_not, HasSubstr("pools gain less"));
  arena.tried->memory = 1.3;
  EXPECT_EQ(settled({pool, arena}).advices[0].from.how, strategy::multipool);
  arena = tried(strategy::monotonic, "a", {1.15, 1.2, 1.25}, 9);
  EXPECT_EQ(settled({pool, arena}).advices[0].from.how, strategy::multipool) << "it is faster";
}

TEST(trial, a_program_that_is_too_short_proves_nothing_in_any_number_of_runs) {
  advice_report report;
  report.advices = {tried(strategy::multipool, "a", {1.24, 1.91, 2.77}, 9)};
  report.cpu_ns = 5'000'000;
  settle(report);
  EXPECT_FALSE(report.proved);
  EXPECT_THAT(report.proof, HasSubstr("too short"));
  EXPECT_EQ(report.advices[0].confidence, "low");
}

TEST(trial, what_is_proved_is_sure_whatever_the_replay_was) {
  advice one = tried(strategy::multipool, "a", {1.25, 1.3, 1.35}, 9);
  one.untold = "block placement may matter more";
  one.confidence = "low";
  EXPECT_EQ(settled({one}).advices[0].confidence, "high");
  one.tried->times = {1.05, 1.3, 1.6};
  EXPECT_EQ(settled({one}).advices[0].confidence, "medium");
  const advice_report report = settled({one});
  EXPECT_TRUE(to_json(report)["advice"][0]["gain"].is_null());
  EXPECT_THAT(to_markdown(report), HasSubstr("1.30 (1.05 to 1.60) in 9 runs"));
  one.tried.reset();
  EXPECT_THAT(to_markdown(settled({one})), HasSubstr("| no figure: block placement"));
}

TEST(trial, what_was_not_tried_is_not_proved_nor_of_high_confidence) {
  advice untried = of(strategy::multipool, "a");
  untried.replays = 3;
  untried.tried_remark = "its function has no name";
  const advice_report report = settled({untried});
  EXPECT_FALSE(report.proved);
  EXPECT_THAT(report.proof, HasSubstr("predicted only by replay"));
  EXPECT_THAT(report.proof, HasSubstr("its function has no name"));
  EXPECT_EQ(report.advices[0].confidence, "medium");
  untried.replays = 0;
  EXPECT_THAT(settled({untried}).proof, HasSubstr("too short to replay it"));
}

TEST(trial, an_arena_whose_calls_never_ended_says_nothing) {
  mallard::whatif::whatif_outcome outcome;
  EXPECT_FALSE(never_ended(outcome));
  outcome.routes = {{.pattern = "function:f", .strategy = "monotonic", .blocks = 100}};
  EXPECT_TRUE(never_ended(outcome));
  outcome.routes[0].resets = 1;
  EXPECT_FALSE(never_ended(outcome));
  outcome.routes[0] = {.pattern = "function:f", .strategy = "multipool", .blocks = 100};
  EXPECT_FALSE(never_ended(outcome));
}

TEST(place, is_of_cpp_if_its_file_is) {
  for (const char* const file : {"a.cpp", "b/c.cc", "d.hpp", "e.C"}) {
    EXPECT_TRUE(is_file_of_cpp(file)) << file;
  }
  for (const char* const file : {"a.c", "b.h", "cpp", ""}) EXPECT_FALSE(is_file_of_cpp(file));
}

TEST(trial, its_figures_decide_what_comes_first) {
  const advice_report report = settled({of(strategy::multipool, "untried"),
                                        tried(strategy::multipool, "a", {1.1, 1.2, 1.3}, 9),
                                        tried(strategy::monotonic, "b", {1.6, 1.7, 1.8}, 9),
                                        tried(strategy::switch_malloc, "", {1.1, 1.25, 1.3}, 9)});
  ASSERT_EQ(report.advices.size(), 4u);
  EXPECT_EQ(report.advices[0].from.where.subsystem, "b");
  EXPECT_EQ(report.advices[1].from.how, strategy::switch_malloc);
  EXPECT_EQ(report.advices[2].from.where.subsystem, "a");
  EXPECT_EQ(report.advices[3].from.where.subsystem, "untried");
}

TEST(trial, a_resource_whose_few_runs_tell_little_is_behind_a_malloc) {
  const advice_report report = settled({tried(strategy::switch_malloc, "", {1.24, 1.26, 1.28}, 2),
                                        tried(strategy::multipool, "a", {0.8, 1.24, 2.4}, 3)});
  EXPECT_EQ(report.advices[0].from.how, strategy::switch_malloc);
}

TEST(trial, a_malloc_is_not_preferred_to_a_resource_that_is_as_fast) {
  const advice_report report = settled({tried(strategy::switch_malloc, "", {1.1, 1.25, 1.3}, 9),
                                        tried(strategy::monotonic, "b", {1.24, 1.3, 1.35}, 9)});
  EXPECT_EQ(report.advices[0].from.how, strategy::monotonic);
}

TEST(trial, a_resource_that_cannot_be_told_from_a_malloc_comes_first_unless_it_takes_more_memory) {
  const advice malloc = tried(strategy::switch_malloc, "", {1.2, 1.25, 1.3}, 9);
  advice resource = tried(strategy::monotonic, "b", {1.1, 1.2, 1.3}, 9);
  EXPECT_EQ(settled({malloc, resource}).advices[0].from.how, strategy::monotonic);
  resource.tried->memory = 2;
  EXPECT_EQ(settled({malloc, resource}).advices[0].from.how, strategy::switch_malloc);
  resource.tried = trial_figures{{1.1, 1.15, 1.2}, 9, 1.1};
  EXPECT_EQ(settled({malloc, resource}).advices[0].from.how, strategy::switch_malloc);
}

TEST(trial, a_resource_that_c_code_cannot_take_is_behind_a_malloc) {
  advice for_c = tried(strategy::monotonic, "b", {1.6, 1.7, 1.8}, 9);
  for_c.from.where.is_cpp = false;
  const advice_report report =
      settled({for_c, tried(strategy::switch_malloc, "", {1.1, 1.25, 1.3}, 9)});
  EXPECT_EQ(report.advices[0].from.how, strategy::switch_malloc);
}

TEST(trial, only_the_best_for_a_place_is_advised_and_the_best_malloc) {
  const advice_report report = settled({tried(strategy::multipool, "a", {1.1, 1.2, 1.3}, 9),
                                        tried(strategy::monotonic, "a", {1.6, 1.7, 1.8}, 9),
                                        tried(strategy::switch_malloc, "", {1.1, 1.15, 1.2}, 9),
                                        tried(strategy::switch_malloc, "", {1.3, 1.35, 1.4}, 9)});
  ASSERT_EQ(report.advices.size(), 2u);
  EXPECT_EQ(report.advices[0].from.how, strategy::monotonic);
  EXPECT_EQ(report.advices[1].tried->times.median, 1.35);
  ASSERT_EQ(report.others.size(), 2u);
  EXPECT_EQ(report.others[0].why_not, "another is faster here");
}

TEST(trial, of_two_that_are_as_fast_there_the_one_with_less_memory_is_advised) {
  advice frugal = tried(strategy::multipool, "a", {1.5, 1.6, 1.75}, 9);
  frugal.tried->memory = 1.0;
  const advice_report report =
      settled({tried(strategy::monotonic, "a", {1.6, 1.7, 1.8}, 9), frugal});
  ASSERT_EQ(report.advices.size(), 1u);
  EXPECT_EQ(report.advices[0].from.how, strategy::multipool);
}

TEST(trial, a_wide_interval_makes_nothing_as_fast_as_the_fastest) {
  const advice fast = tried(strategy::switch_malloc, "", {2.8, 3.0, 4.2}, 7);
  advice frugal = tried(strategy::switch_malloc, "", {1.6, 2.0, 3.8}, 7);
  frugal.tried->memory = 0.5;
  const advice_report mallocs = settled({fast, frugal});
  ASSERT_EQ(mallocs.advices.size(), 1u);
  EXPECT_EQ(mallocs.advices[0].tried->times.median, 3.0);
  EXPECT_EQ(mallocs.others[0].why_not, "another is faster here");
  const advice resource = tried(strategy::monotonic, "b", {1.6, 2.0, 3.8}, 7);
  EXPECT_EQ(settled({fast, resource}).advices[0].from.how, strategy::switch_malloc);
}

TEST(trial, each_is_held_against_the_fastest_not_against_one_with_less_memory) {
  const advice fast = tried(strategy::monotonic, "a", {1.9, 2.0, 2.1}, 9);
  advice frugal = tried(strategy::multipool, "a", {1.8, 1.95, 2.05}, 9);
  frugal.tried->memory = 0.9;
  advice slow = tried(strategy::heap, "a", {1.7, 1.85, 1.96}, 9);
  slow.tried->memory = 0.5;
  const advice_report report = settled({fast, frugal, slow});
  ASSERT_EQ(report.advices.size(), 1u);
  EXPECT_EQ(report.advices[0].from.how, strategy::multipool);
}

}  // namespace
