// The goals of our own resources and mallocs, a file of statements, judged on made-up results.
#include <gtest/gtest.h>

#include <algorithm>

#include "claim_sides.hpp"
#include "lab/claims/claim_table.hpp"
#include "support/read_file.hpp"

namespace mallard::lab {
namespace {

using cells = std::vector<cell_result>;

// Nothing where it is not judged.
const claim_verdict* find(const std::vector<claim_verdict>& all, std::string_view id) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const claim_verdict& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

const std::vector<claim>& goals() {
  static const std::vector<claim> all =
      read_claims(mallard_test::read_file(MALLARD_GOALS), MALLARD_GOALS);
  return all;
}

std::vector<claim_verdict> judge(const cells& measured) {
  return evaluate_claims(observe(measured, 4), goals());
}

verdict judge_one(const cells& measured, std::string_view id) {
  const auto all = judge(measured);
  const claim_verdict* const one = find(all, id);
  EXPECT_NE(one, nullptr) << id;
  return one ? one->result : verdict::undecided;
}

cell_result structure(std::string_view column, double seconds, std::int64_t size = 6) {
  return make_cell_of("density", {{"ds", std::string("DS1")}, {"size", size}}, column, "time",
                      seconds);
}

cell_result churn(std::string_view malloc, double seconds, std::int64_t threads = 1) {
  return make_cell_of("churn", {{"threads", threads}}, "AS1", "time", seconds, malloc);
}

cell_result shared(std::string_view form, std::int64_t threads, std::string_view column,
                   double seconds) {
  return make_cell_of(
      "contention", {{"form", std::string(form)}, {"threads", threads}, {"block", std::int64_t{8}}},
      column, "time", seconds);
}

TEST(goals, are_no_statements_of_documents) {
  for (const claim& one : goals()) EXPECT_EQ(one.source, "Goals") << one.id;
  for (const claim& one : all_claims()) EXPECT_NE(one.source, "Goals") << one.id;
  const cells measured = {structure("AS7@mallard", 1), structure("AS7@std", 9)};
  EXPECT_EQ(find(evaluate_claims(observe(measured, 4)), "G-1"), nullptr);
}

TEST(goals, a_mean_may_be_met_where_a_cell_misses_it) {
  const cells measured = {structure("AS7@mallard", 1), structure("AS7@std", 80),
                          structure("AS7@mallard", 2, 8), structure("AS7@std", 1, 8)};
  EXPECT_EQ(judge_one(measured, "G-1"), verdict::holds);
  EXPECT_EQ(judge_one(measured, "G-2"), verdict::fails);
}

TEST(goals, against_the_global_heap_are_for_clean_heaps) {
  cells measured = {structure("AS7@mallard", 1), structure("AS1", 3)};
  EXPECT_EQ(judge_one(measured, "G-5"), verdict::holds);
  for (cell_result& one : measured) one.heap = "aged";
  const auto all = judge(measured);
  EXPECT_EQ(find(all, "G-5"), nullptr);
  EXPECT_NE(find(all, "G-1"), nullptr);
}

TEST(goals, ours_is_held_against_the_fastest_peer_at_each_place) {
  const cells first = {churn("mallard", 1), churn("glibc", 1.5), churn("jemalloc", 9)};
  EXPECT_EQ(judge_one(first, "G-80"), verdict::holds);
  cells second = first;
  for (const auto& one :
       {churn("mallard", 1, 2), churn("glibc", 9, 2), churn("jemalloc", 0.5, 2)}) {
    second.push_back(one);
  }
  EXPECT_EQ(judge_one(second, "G-80"), verdict::fails);
}

TEST(goals, our_other_mallocs_are_no_peers) {
  const cells measured = {churn("mallard", 1), churn("mallard-hardened", 0.1),
                          churn("mallard-sticky", 0.1), churn("glibc", 2)};
  EXPECT_EQ(judge_one(measured, "G-80"), verdict::holds);
  EXPECT_EQ(judge_one(measured, "G-84"), verdict::holds);
}

TEST(goals, each_peer_is_judged_by_itself) {
  const cells measured = {churn("mallard", 1), churn("glibc", 9), churn("jemalloc", 0.8)};
  EXPECT_EQ(judge_one(measured, "G-84"), verdict::fails);
  EXPECT_EQ(judge_one({churn("mallard", 1), churn("glibc", 9)}, "G-84"), verdict::holds);
}

TEST(goals, of_throughput_more_is_better) {
  const auto larson = [](std::string_view malloc, double rate) {
    return make_cell_of("larson", {{"threads", std::int64_t{2}}}, "AS1", "throughput", rate,
                        malloc);
  };
  EXPECT_EQ(judge_one({larson("mallard", 9), larson("glibc", 5)}, "G-88"), verdict::holds);
  EXPECT_EQ(judge_one({larson("mallard", 5), larson("glibc", 9)}, "G-88"), verdict::fails);
}

TEST(goals, compare_forms_and_numbers_of_threads) {
  const cells base = {shared("shared", 1, "sync@mallard", 1.2), shared("own", 1, "AS9@mallard", 1)};
  EXPECT_EQ(judge_one(base, "G-40"), verdict::holds);
  const auto two = [](double seconds) {
    return cells{shared("shared", 1, "sync@mallard", 1),
                 shared("shared", 2, "sync@mallard", seconds)};
  };
  EXPECT_EQ(judge_one(two(1), "G-44"), verdict::holds);
  EXPECT_EQ(judge_one(two(2), "G-44"), verdict::fails);
}

TEST(goals, the_longest_calls_of_ours_are_bounded) {
  const auto longest = [](double seconds) {
    cells out;
    for (const char* measure : {"malloc_longest", "free_longest"}) {
      out.push_back(make_cell_of("mixed-malloc", {{"threads", std::int64_t{4}}}, "AS1", measure,
                                 seconds, "mallard"));
      out.push_back(
          make_cell_of("mixed-malloc", {{"threads", std::int64_t{4}}}, "AS1", measure, 1, "glibc"));
    }
    return out;
  };
  EXPECT_EQ(judge_one(longest(0.0002), "G-100"), verdict::holds);
  EXPECT_EQ(judge_one(longest(0.001), "G-100"), verdict::fails);
}

TEST(goals, figures_of_ours_alone_are_held_to_their_bounds) {
  const auto grown = [](double share) {
    return cells{make_cell_of("expand-forward",
                              {{"elements", std::int64_t{10000}}, {"form", std::string("among")}},
                              "v2@mallard", "success", share)};
  };
  EXPECT_EQ(judge_one(grown(0.95), "G-54"), verdict::holds);
  EXPECT_EQ(judge_one(grown(0), "G-54"), verdict::fails);
}

}  // namespace
}  // namespace mallard::lab
