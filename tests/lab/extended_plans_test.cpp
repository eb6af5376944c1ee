// The plans of the benches of extended allocators, and small ones measured in processes.
#include "lab/extended_plans.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lab/series_bench.hpp"

namespace mallard::lab {
namespace {

series_conditions conditions_for(std::vector<series_column> columns) {
  series_conditions under;
  under.columns = std::move(columns);
  under.heaps = {"clean"};
  under.repetitions = 2;
  under.timeout_seconds = 20;
  return under;
}

std::vector<series_cell> run(const series_plan& plan) {
  std::vector<series_cell> cells;
  run_series(plan, {},
             {.cell = [&](const series_cell& cell) { cells.push_back(cell); }, .step = {}});
  return cells;
}

TEST(ExtendedPlans, CellsAreWhereTheyWereAskedFor) {
  const auto under = conditions_for({{"std", "std"}, {"realloc", "global"}});
  growth_sizes sizes;
  sizes.alone = {{10, 100}, {2, 1000}};
  sizes.among = {{1, 50}};
  sizes.types = {element_type::wrapped_int, element_type::pod64};
  const series_plan plan = plan_expand_forward(sizes, under);
  // realloc has pod64 alone
  ASSERT_EQ(plan.cells.size(), 3U + 2 * 3);
  const series_key& first = plan.cells.front().key;
  EXPECT_EQ(first.bench, "expand-forward");
  EXPECT_EQ(to_string(first.at.at("elements")), "100");
  EXPECT_EQ(to_string(first.at.at("iterations")), "10");
  EXPECT_EQ(to_string(first.at.at("type")), "int");
  EXPECT_EQ(to_string(first.at.at("form")), "alone");
  EXPECT_EQ(to_string(plan.cells.back().key.at.at("form")), "among");
  EXPECT_EQ(plan.cells.back().key.strategy, "realloc");

  const series_plan backward = plan_expand_backward(sizes, under);
  EXPECT_EQ(backward.cells.size(), 2U * 2);
  EXPECT_FALSE(backward.cells.front().key.at.contains("form"));
}

TEST(ExtendedPlans, EveryBenchMeasuresItsFigures) {
  const auto under = conditions_for(
      {{"std", "std"}, {"AS1", "global"}, {"realloc", "global"}, {"remap", "mallard"}});
  struct expected {
    series_plan plan;
    std::set<std::string> measures;
  };
  const expected all[] = {
      {plan_expand_backward({{{2, 100}}, {}, {element_type::string}}, under),
       {"time", "calls", "capacity", "rss"}},
      {plan_shrink({{{2, 100}}, {element_type::wrapped_int}}, under), {"time", "rss_after", "rss"}},
      {plan_burst({1000, {10}, {node_container::list, node_container::stable_vector}}, under),
       {"insert", "erase", "calls", "rss"}},
      {plan_realloc({2, {200000}, {{"x2", 200, 0}}}, under), {"time", "moved", "success", "rss"}},
      {plan_mixed({{6}, 4, 16, 1024}, under), {"time", "rss"}},
  };
  for (const expected& one : all) {
    const auto cells = run(one.plan);
    EXPECT_FALSE(cells.empty());
    for (const series_cell& cell : cells) {
      ASSERT_TRUE(cell.ok()) << cell.bench << cell.error;
      std::set<std::string> names;
      for (const auto& entry : cell.measures) names.insert(entry.first);
      EXPECT_EQ(names, one.measures) << cell.bench;
      EXPECT_EQ(cell.find("rss")->samples.size(), 2U);
    }
  }
}

}  // namespace
}  // namespace mallard::lab
