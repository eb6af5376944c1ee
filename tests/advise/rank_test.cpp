// The ranking of candidates, given what replays say.
#include "advise/rank.hpp"
#include "advise/code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace mallard;
using namespace mallard::advise;
using testing::HasSubstr;

// A program of ten seconds, two of them in the heap's operations.
profile::dims_result program() {
  profile::dims_result dims;
  dims.duration = 10'000'000'000;
  dims.all.cpu_ns = 10'000'000'000;
  dims.all.heap_ns = 2'000'000'000;
  dims.heap = profile::heap_share{.share = 0.2, .low = 0.15, .high = 0.25};
  return dims;
}

candidate of(strategy how, const std::string& subsystem = "parse") {
  candidate one;
  one.how = how;
  one.where.subsystem = one.where.function = subsystem;
  return one;
}

replay::replay_outcome replayed(const std::string& subsystem, const std::string& name, double low,
                                double median, double high, double memory = 1) {
  return {subsystem, name, "first", low, median, high, memory, 2.0, "", "/lib/" + name + ".so"};
}

const std::string all(replay::whole_program);

TEST(gain_of_program, is_what_is_saved_of_its_time) {
  const interval gain = gain_of_program({1, 2, 4}, 2.0, 10.0);
  EXPECT_DOUBLE_EQ(gain.low, 1);
  EXPECT_DOUBLE_EQ(gain.median, 10.0 / 9);
  EXPECT_DOUBLE_EQ(gain.high, 10.0 / 8.5);
  EXPECT_LT(gain_of_program({0.5, 0.5, 0.5}, 2.0, 10.0).median, 1);
  EXPECT_GT(gain_of_program({100, 100, 100}, 20.0, 10.0).median, 1);
}

TEST(why_untold, a_prediction_that_a_tenth_of_a_second_changes_is_none) {
  EXPECT_EQ(why_untold({2, 2, 2}, 2.0, 10.0, 0), "");
  EXPECT_EQ(why_untold({4, 4, 4}, 5.0, 10.0, 0), "");
  EXPECT_EQ(why_untold({4, 4, 4}, 7.5, 10.0, 0), "");  // by 29.5 %
  EXPECT_THAT(why_untold({4, 4, 4}, 7.6, 10.0, 0),     // by 30.7 %
              HasSubstr("an error of a tenth would change the gain by more than 30 %"));
  EXPECT_THAT(why_untold({2, 2, 2}, 10.0, 10.0, 0), HasSubstr("longer in the replay"));
}

TEST(rank, where_nobody_knows_the_heaps_share_nothing_is_predicted) {
  profile::dims_result dims = program();
  dims.heap.reset();
  const advice_report report =
      rank(dims, {of(strategy::multipool)}, {replayed("parse", "AS9@mallard", 1.9, 2, 2.1)}, "p");
  EXPECT_EQ(report.advices[0].from.how, strategy::multipool);
  EXPECT_THAT(report.advices[0].untold, HasSubstr("no sample of processor time"));
  EXPECT_EQ(rank(dims, {}, {}, "p").advices[0].confidence, "low");
  dims.heap = profile::heap_share{.share = 0.5, .low = 0.1, .high = 0.9};
  EXPECT_EQ(rank(dims, {}, {replayed(all, "jemalloc", 1.9, 2, 2.1)}, "p").advices[0].confidence,
            "low");
}

TEST(rank, where_the_heap_takes_more_than_the_program_had_nothing_is_predicted) {
  std::vector<replay::replay_outcome> outcomes = {replayed("parse", "AS9@mallard", 1.9, 2, 2.1)};
  outcomes.front().seconds_global = 11;
  const advice_report report = rank(program(), {of(strategy::multipool)}, outcomes, "p");
  ASSERT_EQ(report.advices.size(), 1u);
  EXPECT_EQ(report.advices[0].from.how, strategy::multipool);
  EXPECT_FALSE(told_gain(report.advices[0]));
  EXPECT_EQ(report.advices[0].confidence, "low");
}

TEST(rank, where_blocks_lie_far_apart_that_decides_and_nothing_is_predicted) {
  profile::dims_result dims = program();
  dims.cache_bytes = {32768, 1 << 20};
  dims.total.peak_bytes = dims.all.where.peak_bytes = 40 << 20;
  dims.all.where.page_diffusion = 1;
  dims.all.where.neighbours = 0.2;
  const auto rank_it = [&] {
    return rank(dims, {of(strategy::multipool)}, {replayed("parse", "AS9@mallard", 1.9, 2, 2.1)},
                "p");
  };
  EXPECT_THAT(rank_it().advices[0].untold, HasSubstr("block placement"));
  dims.total.peak_bytes = 4 << 20;  // not so much more than the cache
  EXPECT_EQ(rank_it().advices[0].untold, "");
  dims.total.peak_bytes = 40 << 20;
  dims.all.where.neighbours = 0.9;  // they do not
  EXPECT_EQ(rank_it().advices[0].untold, "");
}

TEST(rank, the_fastest_strategy_of_a_subsystem_is_advised) {
  const advice_report report = rank(program(), {of(strategy::multipool), of(strategy::monotonic)},
                                    {replayed("parse", "AS9@mallard", 1.9, 2, 2.1),
                                     replayed("parse", "AS5@mallard", 3.9, 4, 4.1)},
                                    "p");
  ASSERT_EQ(report.advices.size(), 1u);
  EXPECT_EQ(report.advices[0].from.how, strategy::monotonic);
  EXPECT_NEAR(report.advices[0].gain.median, 10.0 / 8.5, 1e-9);
  ASSERT_EQ(report.others.size(), 1u);
  EXPECT_EQ(report.others[0].why_not, "another is faster here");
}

TEST(rank, of_equal_ones_the_smaller_is_advised) {
  const advice_report report = rank(program(), {of(strategy::multipool), of(strategy::monotonic)},
                                    {replayed("parse", "AS9@mallard", 3.8, 3.9, 4.2, 1.0),
                                     replayed("parse", "AS5@mallard", 3.9, 4, 4.1, 1.5)},
                                    "p");
  EXPECT_EQ(report.advices[0].from.how, strategy::multipool);
}

TEST(rank, to_leave_it_wins_where_nothing_is_told_from_it) {
  const advice_report report = rank(
      program(), {of(strategy::multipool)},
      {replayed("parse", "AS9@mallard", 0.95, 1.3, 1.6), replayed(all, "jemalloc", 0.99, 1.1, 1.2)},
      "p");
  ASSERT_EQ(report.advices.size(), 1u);
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
  EXPECT_EQ(report.advices[0].gain.median, 1);
  EXPECT_EQ(report.others.size(), 2u);
}

TEST(rank, what_gains_less_than_a_hundredth_is_no_advice) {
  const advice_report report = rank(program(), {of(strategy::multipool)},
                                    {replayed("parse", "AS9@mallard", 1.03, 1.04, 1.05)}, "p");
  EXPECT_EQ(report.advices[0].from.how, strategy::global);
}

TEST(rank, a_loss_that_no_figure_shows_is_no_difference) {
  const auto why_not = [](double times) {
    const replay::replay_outcome malloc = replayed(all, "jemalloc", times, times, times);
    return rank(program(), {}, {malloc}, "p").others.at(0).why_not;
  };
  EXPECT_EQ(why_not(0.99), "no difference from the unmodified program");
  EXPECT_EQ(why_not(0.5), "slower than the unmodified program");
}

TEST(rank, one_replay_has_no_interval_and_lowers_the_confidence) {
  replay::replay_outcome once = replayed("parse", "AS9@mallard", 2, 2, 2);
  once.repetitions = 1;
  const advice_report report = rank(program(), {of(strategy::multipool)}, {once}, "p", true);
  EXPECT_EQ(report.advices[0].confidence, "medium");
  EXPECT_THAT(report.advices[0].from.because.front().says, HasSubstr("replayed once"));
  once.repetitions = 5;
  EXPECT_EQ(rank(program(), {of(strategy::multipool)}, {once}, "p", true).advices[0].confidence,
            "high");
}

TEST(rank, a_doubt_of_a_candidate_lowers_the_confidence_by_its_steps_whatever_it_says) {
  const auto confidence = [](doubt one) {
    candidate doubted = of(strategy::multipool);
    doubted.doubts = {std::move(one)};
    return rank(program(), {doubted}, {replayed("parse", "AS9@mallard", 1.9, 2, 2.1)}, "p", true)
        .advices[0]
        .confidence;
  };
  EXPECT_EQ(confidence({"its blocks outlive this_is a guess()"}), "high");
  EXPECT_EQ(confidence({"its calls are not known", 1}), "medium");
}

TEST(rank, another_malloc_wins_ties) {
  const std::vector<candidate> candidates = {of(strategy::multipool)};
  const auto with = [&](double median) {
    return rank(program(), candidates,
                {replayed("parse", "AS9@mallard", 1.9, 2, 2.1),
                 replayed(all, "jemalloc", median - 0.1, median, median + 0.1)},
                "./p -x");
  };
  EXPECT_EQ(with(1.95).advices[0].from.how, strategy::switch_malloc);
  EXPECT_EQ(with(1.95).advices[0].code, "LD_PRELOAD=/lib/jemalloc.so ./p -x\n");
  EXPECT_EQ(with(1.5).advices[0].from.how, strategy::multipool);
  EXPECT_EQ(with(1.5).advices[1].from.how, strategy::switch_malloc);
}

// A link without the space would not last.
TEST(rank, a_malloc_whose_replays_tell_nothing_hides_no_other) {
  const advice_report report =
      rank(program(), {},
           {replayed(all, "tcmalloc", 0.6, 2.4, 3), replayed(all, "jemalloc", 1.5, 1.6, 1.7)}, "p");
  EXPECT_EQ(report.advices[0].from.how, strategy::switch_malloc);
  EXPECT_EQ(report.advices[0].from.malloc, "jemalloc");
  EXPECT_THAT(report.others.back().why_not, HasSubstr("no difference"));
}

TEST(rank, another_malloc_in_a_path_with_a_space_is_found_by_the_command) {
  candidate spaced = of(strategy::switch_malloc);
  spaced.malloc = "mallard";
  spaced.malloc_file = "/no such folder, with spaces/libx.so";
  const std::string code = code_for(spaced, "./p");
  EXPECT_EQ(code, "LD_PRELOAD=$(mallard doctor --library mallard) ./p\n");
}

TEST(rank, another_malloc_comes_before_a_resource_that_c_code_would_need) {
  candidate of_c = of(strategy::multipool);
  of_c.where.is_cpp = false;
  const advice_report report = rank(
      program(), {of_c},
      {replayed("parse", "AS9@mallard", 3.9, 4, 4.1), replayed(all, "jemalloc", 1.4, 1.5, 1.6)},
      "p");
  EXPECT_EQ(report.advices[0].from.how, strategy::switch_malloc);
  EXPECT_EQ(report.advices[1].from.how, strategy::multipool);
}

TEST(rank, ways_that_time_was_too_short_to_replay_may_still_be_tried) {
  replay::replay_outcome pool = replayed("parse", "AS9@mallard", 0, 0, 0);
  pool.remark = replay::no_time_left;
  replay::replay_outcome jemalloc = replayed(all, "jemalloc", 0, 0, 0);
  jemalloc.remark = replay::no_time_left;
  replay::replay_outcome hardened = replayed(all, "mallard-hardened", 0, 0, 0);
  hardened.remark = replay::no_time_left;
  const advice_report report =
      rank(program(), {of(strategy::multipool)}, {pool, hardened, jemalloc}, "p");
  ASSERT_EQ(report.advices.size(), 2u);
  EXPECT_EQ(report.advices[0].from.how, strategy::multipool);
  EXPECT_EQ(report.advices[1].from.malloc, "jemalloc");
  for (const advice& one : report.advices) {
    EXPECT_THAT(one.untold, HasSubstr("too short"));
    EXPECT_FALSE(told_memory(one));
  }
  ASSERT_EQ(report.others.size(), 1u);
  EXPECT_EQ(report.others[0].from.malloc, "mallard-hardened");
}

TEST(rank, what_was_refused_or_not_replayed_is_told_with_its_reason) {
  candidate refused = of(strategy::monotonic);
  refused.refused = "it would grow";
  replay::replay_outcome without = replayed("parse", "AS9@mallard", 0, 0, 0);
  without.remark = "its threads share blocks";
  const advice_report report =
      rank(program(), {refused, of(strategy::multipool), of(strategy::heap)}, {without}, "p");
  ASSERT_EQ(report.others.size(), 3u);
  EXPECT_EQ(report.others[0].why_not, "it would grow");
  EXPECT_EQ(report.others[1].why_not, "its threads share blocks");
  EXPECT_THAT(report.others[2].why_not, HasSubstr("it was not replayed"));
}

}  // namespace
