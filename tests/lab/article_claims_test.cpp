// Claims about arrays that grow in place, bursts and adaptive pools, judged on made-up results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "claim_sides.hpp"

namespace mallard::lab {
namespace {

using cells = std::vector<cell_result>;

// A cell of `elements` in a container; the more of them, the fewer containers.
cell_result array(std::string_view bench, std::int64_t elements, std::string_view column,
                  double figure, std::string_view measure = "time", std::string_view type = "int") {
  return make_cell_of(bench,
                      {{"elements", elements},
                       {"iterations", std::int64_t{100'000'000} / elements},
                       {"form", "alone"},
                       {"type", std::string(type)}},
                      column, measure, figure);
}

cells forward(double v1, double v2, std::string_view library = "mallard",
              std::string_view other = "v1") {
  return {
      array("expand-forward", 10'000, std::string(other) + "@" + std::string(library), v1),
      array("expand-forward", 10'000, "v2@" + std::string(library), v2),
      array("expand-forward", 100, std::string(other) + "@" + std::string(library), 1),
      array("expand-forward", 100, "v2@" + std::string(library), 1),
  };
}

cells backward(double other, std::string_view column, std::string_view measure = "time") {
  return {array("expand-backward", 1'000'000, column, other, measure),
          array("expand-backward", 1'000'000, "v2-bwd@mallard", 1, measure)};
}

cells shrinking(double v1_large, double v2_large) {
  return {array("shrink", 500, "v1@mallard", 1.1),
          array("shrink", 500, "v2@mallard", 1),
          array("shrink", 500, "std@boost", 2),
          array("shrink", 10'000, "v1@mallard", v1_large),
          array("shrink", 10'000, "v2@mallard", v2_large),
          array("shrink", 10'000, "std@boost", 200)};
}

TEST(expansion_claims, hold_and_fail) {
  const auto calls = [](double v2) {
    return cells{array("expand-forward", 10, "v1@mallard", 6, "calls"),
                 array("expand-forward", 10, "v2@mallard", v2, "calls"),
                 array("expand-forward", 1000, "v1@mallard", 9, "calls"),
                 array("expand-forward", 1000, "v2@mallard", 90, "calls")};
  };
  const auto heavier = [](double gain) {
    return cells{array("expand-forward", 10'000, "v1@mallard", 2),
                 array("expand-forward", 10'000, "v2@mallard", 1),
                 array("expand-forward", 10'000, "v1@mallard", 2 * gain, "time", "pod64"),
                 array("expand-forward", 10'000, "v2@mallard", 1, "time", "pod64")};
  };
  const auto success = [](double part) {
    return cells{array("expand-forward", 10'000, "v2@mallard", part, "success")};
  };
  const auto standard = [](double v1) {
    return cells{array("expand-forward", 100, "std@boost", 1),
                 array("expand-forward", 100, "v1@boost", v1)};
  };
  expect_both_sides(
      "EX-",
      {{"EX-1", calls(4), calls(6), {}},
       {"EX-2", forward(2, 1, "mallard", "v2-none"), forward(1, 1, "mallard", "v2-none"), {}},
       {"EX-3", forward(2, 1), forward(1.5, 1), {}},
       {"EX-4", forward(2.6, 1), forward(2, 1), {}},
       {"EX-5", success(0.9), success(0), {}},
       {"EX-6", heavier(2), heavier(0.9), {}},
       {"EX-7", standard(1.1), standard(2), {}},
       {"EX-8", backward(1.1, "v1@mallard"), backward(0.9, "v1@mallard"), {}},
       {"EX-9", backward(1.1, "v2-none@mallard"), backward(0.9, "v2-none@mallard"), {}},
       {"EX-10", backward(2, "v1@mallard", "rss"), backward(1, "v1@mallard", "rss"), {}},
       {"EX-11", shrinking(20, 1), shrinking(0.5, 1), {}},
       {"EX-12", shrinking(95, 1), shrinking(70, 1), {}},
       {"EX-13", shrinking(20, 1), shrinking(1, 1), {}},
       {"EX-14", shrinking(20, 1), shrinking(20, 5), {}},
       {"EX-15", shrinking(20, 1), shrinking(1, 1), {}}});
}

TEST(expansion_claims, are_judged_with_every_library_that_has_the_strategies) {
  cells both = forward(2, 1);
  const cells boosts = forward(1, 1, "boost");
  both.insert(both.end(), boosts.begin(), boosts.end());
  std::vector<std::pair<std::string, verdict>> found;
  for (const auto& one : evaluate_claims(observe(both, 4))) {
    if (one.id == "EX-3") found.emplace_back(one.variant, one.result);
  }
  EXPECT_THAT(found, testing::ElementsAre(std::pair("mallard", verdict::holds),
                                          std::pair("boost", verdict::fails)));
  // One library alone is judged alone.
  EXPECT_EQ(judge_claim(boosts, "EX-3").variant, "boost");
  // None at all: nothing is known of ours.
  const claim_verdict none = judge_claim({array("expand-forward", 100, "std@std", 1)}, "EX-3");
  EXPECT_EQ(none.variant, "mallard");
  EXPECT_EQ(none.result, verdict::undecided);
}

TEST(expansion_claims, are_about_one_array_at_a_time) {
  cells others = forward(2, 1);
  for (cell_result& cell : others) cell.at["form"] = "among";
  EXPECT_EQ(judge_claim(others, "EX-3").result, verdict::undecided);
}

TEST(expansion_claims, sizes_are_compared_by_element_not_by_run) {
  // As many elements in ten times fewer containers: the same time is no gain.
  const claim_verdict same = judge_claim(shrinking(20, 1), "EX-14");
  EXPECT_THAT(same.figures, testing::HasSubstr("= 1.00"));
  // The quick run beside the whole one: other numbers of containers, and the same time by element.
  cells with_quick = shrinking(20, 1);
  for (cell_result quick : shrinking(0.2, 0.01)) {
    quick.at["iterations"] = std::get<std::int64_t>(quick.at["iterations"]) / 100;
    if (std::get<std::int64_t>(quick.at["elements"]) == 500) {
      for (auto& [name, one] : quick.measures) one = {"s", {}, 0.01, 0.0099, 0.0101};
    }
    with_quick.push_back(quick);
  }
  EXPECT_EQ(judge_claim(with_quick, "EX-14").result, verdict::holds);
}

// A cell of two million elements in lists, in ranges.
cell_result list(std::int64_t range, std::string_view column, double figure,
                 std::string_view measure) {
  return make_cell_of(
      "burst", {{"range", range}, {"container", "list"}, {"elements", std::int64_t{2'000'000}}},
      column, measure, figure);
}

cells two_lists(std::int64_t range, std::string_view measure, double other,
                std::string_view column = "v1@mallard") {
  return {list(range, column, other, measure), list(range, "v2@mallard", 1, measure)};
}

TEST(burst_claims, hold_and_fail) {
  const auto lengths = [](std::string_view column, std::int64_t small, std::int64_t large,
                          double at_large) {
    return cells{list(small, column, 1, "insert"), list(large, column, at_large, "insert")};
  };
  const auto gains = [](double inserting, double erasing) {
    cells all = {list(1000, "v1@mallard", inserting, "insert"),
                 list(1000, "v2@mallard", 1, "insert")};
    all[0].measures["erase"] = {"s", {}, erasing, erasing * 0.99, erasing * 1.01};
    all[1].measures["erase"] = {"s", {}, 1, 0.99, 1.01};
    return all;
  };
  expect_both_sides(
      "BU-",
      {{"BU-1", two_lists(100, "calls", 100), two_lists(100, "calls", 1), {}},
       {"BU-2", lengths("v1@mallard", 10, 10'000, 1), lengths("v1@mallard", 10, 10'000, 0.5), {}},
       {"BU-3", two_lists(100, "insert", 2), two_lists(100, "insert", 1.5), {}},
       {"BU-4", two_lists(1000, "insert", 3), two_lists(1000, "insert", 2), {}},
       {"BU-5",
        lengths("v2@mallard", 1000, 10'000, 1),
        lengths("v2@mallard", 1000, 10'000, 0.6),
        {}},
       {"BU-6", two_lists(1000, "erase", 1.3), two_lists(1000, "erase", 1), {}},
       {"BU-7", two_lists(10, "erase", 1.2), two_lists(10, "erase", 1), {}},
       {"BU-8", gains(3, 1.3), gains(1, 1.3), {}},
       {"BU-9",
        two_lists(10, "insert", 1, "std@boost"),
        two_lists(10, "insert", 2, "std@boost"),
        {}},
       {"BU-10",
        two_lists(100, "insert", 1.5, "std@boost"),
        two_lists(100, "insert", 1, "std@boost"),
        {}},
       {"BU-11",
        two_lists(100, "erase", 1, "std@boost"),
        two_lists(100, "erase", 1.2, "std@boost"),
        {}}});
}

TEST(burst_claims, are_about_lists) {
  cells vectors = two_lists(1000, "insert", 3);
  for (cell_result& cell : vectors) cell.at["container"] = "stable_vector";
  EXPECT_EQ(judge_claim(vectors, "BU-4").result, verdict::undecided);
}

cell_result pool(std::string_view column, double figure, std::string_view measure) {
  return make_cell_of("adaptive-pool",
                      {{"range", std::int64_t{1000}}, {"elements", std::int64_t{1'000'000}}},
                      column, measure, figure);
}

TEST(pool_claims, hold_and_fail) {
  const auto two = [](std::string_view measure, std::string_view left, double first,
                      std::string_view right) {
    return cells{pool(left, first, measure), pool(right, 1, measure)};
  };
  const auto three = [](std::string_view measure, double v1, double adaptive1) {
    return cells{pool("v1@boost", v1, measure), pool("adaptive1@boost", adaptive1, measure),
                 pool("fast_pool@boost", 1, measure)};
  };
  const auto bursts = [](double v2) {
    return cells{pool("v2@mallard", v2, "insert"), pool("adaptive@mallard", 1, "insert"),
                 pool("node@mallard", 1, "insert")};
  };
  const auto one = [](std::string_view column, double figure, std::string_view measure) {
    return cells{pool(column, figure, measure)};
  };
  const auto overheads = [](double adaptive) {
    return cells{pool("adaptive@mallard", adaptive, "overhead"),
                 pool("node@mallard", 0, "overhead")};
  };
  const auto left_over = [](double v2) {
    return cells{pool("v1@mallard", 0, "in_use_after_erase"),
                 pool("v2@mallard", v2, "in_use_after_erase")};
  };
  const auto left_resident = [](double node) {
    return cells{pool("node@mallard", node, "rss_after_erase"),
                 pool("adaptive@mallard", 0, "rss_after_erase")};
  };
  const auto similar = [&](std::string_view measure, double adaptive) {
    return two(measure, "adaptive@mallard", adaptive, "node@mallard");
  };
  expect_both_sides(
      "AP-", {{"AP-1", three("insert", 2, 1.5), three("insert", 1.1, 1.5), {}},
              {"AP-2", three("insert", 2, 1.5), three("insert", 2, 0.5), {}},
              {"AP-3", similar("insert", 1.1), similar("insert", 2), {}},
              {"AP-4", bursts(1), bursts(2), {}},
              {"AP-5",
               two("insert", "adaptive1@boost", 2, "adaptive@boost"),
               two("insert", "adaptive1@boost", 1, "adaptive@boost"),
               {}},
              {"AP-6", three("erase", 2, 1.5), three("erase", 1, 1.5), {}},
              {"AP-7", similar("erase", 0.9), similar("erase", 2), {}},
              {"AP-8",
               two("erase", "node@mallard", 1.1, "adaptive@mallard"),
               two("erase", "node@mallard", 0.8, "adaptive@mallard"),
               {}},
              {"AP-9", one("v1@boost", 0.33, "overhead"), one("v1@boost", 0.1, "overhead"), {}},
              {"AP-10", overheads(0.01), overheads(0.03), {}},
              {"AP-11", left_over(0), left_over(1e6), {}},
              {"AP-12",
               one("node@mallard", 24e6, "in_use_after_erase"),
               one("node@mallard", 0, "in_use_after_erase"),
               {}},
              {"AP-13",
               one("adaptive@mallard", 8192, "in_use_after_erase"),
               one("adaptive@mallard", 24e6, "in_use_after_erase"),
               {}},
              {"AP-14", left_resident(4e7), left_resident(0), {}}});
}

}  // namespace
}  // namespace mallard::lab
