// Every bench's facts about itself, and the places that benches make of what is asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lab/bench/rivals.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/measuring/usage_error.hpp"
#include "plans.hpp"
#include "support/message_of.hpp"

namespace mallard::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Texts of the coordinate at all places.
std::vector<std::string> along(const bench_plan& plan, std::string_view name) {
  std::vector<std::string> values;
  for (const planned_place& one : plan.places) values.push_back(to_string(one.all.at(name)));
  return values;
}

std::string complaint(std::string_view bench, const texts_of& texts) {
  return mallard_test::message_of<usage_error>([&] { plan_of(bench, texts, {}); }, "no complaint");
}

TEST(benches, each_says_all_that_is_said_of_it) {
  std::set<std::string> names;
  for (const bench& one : all_benches()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(find_bench(one.name), &one);
    EXPECT_FALSE(one.summary.empty() || one.title.empty()) << one.name;
    EXPECT_TRUE(one.kernel && one.expected_seconds) << one.name;
    EXPECT_NE(find_measure(one.measures, one.main), nullptr) << one.name;
    EXPECT_FALSE(one.figures.empty()) << one.name;
    for (const figure_kind& shown : one.figures) {
      EXPECT_NE(find_measure(one.measures, shown.measure), nullptr)
          << one.name << ' ' << shown.measure;
    }
    for (const bool quick : {false, true}) {
      bench_request asked;
      asked.quick = quick;
      const auto places = make_places(one, asked);
      ASSERT_FALSE(places.empty()) << one.name;
      std::set<place> keys;
      for (const planned_place& where : places) {
        EXPECT_TRUE(keys.insert(where.key).second) << one.name << ' ' << to_string(where.key);
        EXPECT_GT(one.expected_seconds(where.all), 0) << one.name;
        for (const figure_kind& shown : one.figures) {
          if (!shown.per) continue;
          EXPECT_GT(shown.per(where.key), 0) << one.name << ' ' << shown.title;
        }
      }
    }
  }
  EXPECT_GE(names.size(), 20U);
  EXPECT_EQ(find_bench("memory-series"), find_bench("memory"));
  EXPECT_EQ(find_bench("nothing"), nullptr);
}

TEST(benches, each_has_somebody_who_is_measured_with_what_is_usual) {
  for (const bench& one : all_benches()) {
    bench_plan plan = plan_of(one, {}, choose_rivals(one, {}).contenders);
    EXPECT_NO_THROW(check_any_kernel(plan)) << one.name;
    plan.contenders.clear();
    EXPECT_THROW(check_any_kernel(plan), usage_error) << one.name;
  }
}

TEST(benches, what_a_bench_does_not_have_is_refused) {
  EXPECT_EQ(complaint("churn", {{"links", "5"}}), "churn has no --links");
  EXPECT_THAT(complaint("churn", {{"touch", "none,all"}}), HasSubstr("not one value"));
}

TEST(benches, scale_takes_a_fraction_of_what_it_says) {
  bench_request asked;
  asked.scale = "1/100";
  const bench& churn = bench_named("churn");
  const auto places = make_places(churn, asked);
  EXPECT_EQ(places[0].all.number("objects"), 1000);
  EXPECT_EQ(places[0].all.number("spots"), 16);
  const bench& larson = bench_named("larson");
  const auto slow = make_places(larson, asked);
  EXPECT_EQ(slow[0].all.real("seconds"), 0.05);
  EXPECT_FALSE(slow[0].key.contains("seconds"));
  EXPECT_EQ(common_parameters(larson, asked, slow).real("seconds"), 0.05);
}

TEST(benches, keys_have_no_parameters) {
  const bench_plan plan = plan_of("churn", {{"threads", "48"}}, {});
  ASSERT_EQ(plan.places.size(), 1U);
  const place expected = {
      {"threads", 48}, {"sharing", "shared"}, {"spots", 16}, {"objects", 100'000}};
  EXPECT_EQ(plan.places[0].key, expected);
  EXPECT_EQ(plan.places[0].all.word("distribution"), "fisher");
}

TEST(benches, teams_and_sizes_make_two_coordinates) {
  const bench_plan memory = plan_of("memory", {{"teams", "1x1,4x3"}}, {});
  EXPECT_THAT(along(memory, "producers"), ElementsAre("1", "4"));
  EXPECT_THAT(along(memory, "consumers"), ElementsAre("1", "3"));
  EXPECT_THAT(along(memory, "round"), ElementsAre("100000", "100000"));
  const bench_plan shrink = plan_of("shrink", {{"sizes", "10x100,2x10^3"}}, {});
  EXPECT_THAT(along(shrink, "iterations"), ElementsAre("10", "2"));
  EXPECT_THAT(along(shrink, "elements"), ElementsAre("100", "1000"));
  EXPECT_THAT(complaint("shrink", {{"sizes", "100"}}), HasSubstr("not containers x elements"));
  EXPECT_THAT(complaint("burst", {{"elements", "100"}, {"ranges", "7"}}),
              HasSubstr("100 elements are not so many ranges of 7"));
}

TEST(benches, locality_has_a_place_for_each_subsystem_access_and_shuffle) {
  const bench_plan plan = plan_of("locality",
                                  {{"links", "2^12"},
                                   {"subsystem", "0,8,12,13"},  // the last one is larger than all
                                   {"accesses", "1,8"},
                                   {"shuffles", "0,5"}},
                                  {});
  EXPECT_EQ(plan.places.size(), 3U * 2U * 2U);
}

TEST(benches, powers_of_ten_have_subsystems_of_powers_of_ten) {
  EXPECT_THAT(along(plan_of("locality", {{"links", "10^7"}}, {}), "subsystem"),
              ElementsAre("1", "2", "3", "4", "5", "6"));
  EXPECT_THAT(along(plan_of("locality", {{"links", "2^21"}}, {}), "subsystem"),
              ElementsAre("4", "8", "12", "16", "20"));
}

TEST(benches, utilization_has_the_papers_rows) {
  const bench_plan plan = plan_of("utilization", {}, {});
  EXPECT_THAT(along(plan, "active"),
              ElementsAre("15", "16", "17", "18", "19", "20", "20", "20", "20", "20", "20"));
  EXPECT_THAT(along(plan, "block"),
              ElementsAre("10", "10", "10", "10", "10", "10", "11", "12", "13", "14", "15"));
  EXPECT_THAT(complaint("utilization", {{"active", "12"}, {"block", "13"}}),
              HasSubstr("must fit into what is active"));
}

TEST(benches, handing_over_takes_pairs) {
  EXPECT_THAT(
      along(plan_of("contention", {{"form", "handoff"}, {"threads", "1-4"}}, {}), "threads"),
      ElementsAre("2", "4"));
}

TEST(benches, sizes_of_vectors_depend_on_who_else_grows) {
  const bench_plan usual = plan_of("expand-forward", {}, {});
  EXPECT_EQ(usual.places.size(), 6U);
  EXPECT_EQ(to_string(usual.places.back().key),
            "form among, type int, iterations 10, elements 100000");
  EXPECT_EQ(plan_of("expand-forward", {{"sizes", "2x50"}}, {}).places.size(), 2U);
  EXPECT_FALSE(plan_of("expand-backward", {}, {}).places[0].key.contains("form"));
}

TEST(rivals, global_strategies_are_measured_once_whatever_the_peers) {
  const bench& utilization = bench_named("utilization");
  rivals_request asked;
  asked.strategies = "AS2,AS1,AS7";
  asked.peers = "mallard,std";
  const auto chosen = choose_rivals(utilization, asked);
  const bench_plan plan = plan_of(utilization, {}, {});
  std::vector<std::string> measured;
  for (const contender& one : chosen.contenders) {
    if (utilization.kernel(one, plan.places[0].all)) {
      measured.push_back(column_name(one.strategy, one.peer));
    }
  }
  EXPECT_THAT(measured, ElementsAre("AS2@global", "AS1@global", "AS7@mallard", "AS7@std"));
}

TEST(rivals, other_libraries_may_have_fewer_strategies) {
  rivals_request asked;
  asked.quick = true;
  asked.peers = "mallard,std";
  const auto count = [&](std::string_view peer) {
    const auto all = choose_rivals(bench_named("density"), asked).contenders;
    return std::count_if(all.begin(), all.end(),
                         [&](const contender& one) { return one.peer == peer; });
  };
  EXPECT_EQ(count("mallard"), 2 * 14);  // on both heaps
  EXPECT_EQ(count("std"), 2 * 5);
}

TEST(rivals, columns_are_those_of_the_bench) {
  rivals_request asked;
  asked.columns = "std@std";
  EXPECT_EQ(choose_rivals(bench_named("shrink"), asked).contenders.size(), 1U);
  asked.columns = "remap@mallard";
  EXPECT_THROW(choose_rivals(bench_named("shrink"), asked), usage_error);
  EXPECT_EQ(choose_rivals(bench_named("realloc"), asked).contenders.size(), 1U);
}

}  // namespace
}  // namespace mallard::lab
