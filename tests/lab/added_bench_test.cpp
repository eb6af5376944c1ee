// The bench that docs/map.md adds is a bench like any other.
#include <gtest/gtest.h>

#include "lab/bench/rivals.hpp"
#include "plans.hpp"

namespace mallard::lab {
namespace {

TEST(added_bench, is_known_and_measured_by_its_file_alone) {
  ASSERT_EQ(all_benches().size(), 1U);
  const bench& steps = bench_named("steps");
  const auto who = choose_rivals(steps, {}).contenders;
  const auto cells = measure_all(plan_of(steps, {{"steps", "1000,10^4"}}, who));
  ASSERT_EQ(cells.size(), 2U);
  for (const cell_result& cell : cells) {
    ASSERT_TRUE(cell.ok()) << cell.error;
    EXPECT_EQ(cell.bench, "steps");
    EXPECT_GT(cell.median_of("time"), 0);
    EXPECT_EQ(cell.find("rss")->unit, "B");
  }
  EXPECT_EQ(cells[1].at.number("steps"), 10'000);
}

}  // namespace
}  // namespace mallard::lab
