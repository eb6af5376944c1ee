// Spot checks of the built-in published figures against the paper's tables.
#include "lab/claims/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"

namespace mallard::lab {
namespace {

TEST(reference, figures_are_those_of_the_paper) {
  EXPECT_EQ(published_seconds("DS1", 6, "AS1"), 1.2);     // table 3
  EXPECT_EQ(published_seconds("DS2", 6, "AS1"), 68.9);    // table 4
  EXPECT_EQ(published_seconds("DS2", 16, "AS14"), 25.2);  // table 4
  EXPECT_EQ(published_seconds("DS7", 10, "AS4"), 2.61);   // table 9
  EXPECT_EQ(published_seconds("DS12", 6, "AS7"), 56.3);   // table 14
}

TEST(reference, every_published_cell_is_there) {
  for (const structure& ds : all_structures()) {
    for (int size = 6; size <= 16; ++size) {
      for (const strategy& one : all_strategies()) {
        const auto seconds = published_seconds(ds.name, size, one.name);
        EXPECT_EQ(seconds.has_value(), one.published()) << ds.name << size << one.name;
        if (seconds) {
          EXPECT_GT(*seconds, 0);
        }
      }
    }
  }
}

TEST(reference, nothing_is_made_up_for_other_cells) {
  EXPECT_FALSE(published_seconds("DS1", 5, "AS1"));
  EXPECT_FALSE(published_seconds("DS1", 17, "AS1"));
  EXPECT_FALSE(published_seconds("DS1", 6, "AS3n"));
  EXPECT_FALSE(published_seconds("DS13", 6, "AS1"));
}

const published_table& find_table(std::string_view name) {
  const auto all = published_tables();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const published_table& one) { return one.name == name; });
  if (found == all.end()) throw std::logic_error("no such table");
  return *found;
}

TEST(reference, tables_of_the_other_benchmarks_are_complete) {
  EXPECT_EQ(published_tables().size(), 9U);
  EXPECT_EQ(find_table("benchmark2_shuffle_effects_1e7").rows.size(), 8U);
  for (const auto& table : published_tables()) {
    if (table.name.ends_with("2e21")) {
      EXPECT_EQ(table.rows.size(), 22U) << table.name;
    }
    if (table.name.ends_with("2e25")) {
      EXPECT_EQ(table.rows.size(), 26U) << table.name;
    }
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
  }
  EXPECT_EQ(find_table("benchmark3_as1_seconds_others_percent").rows.size(), 66U);
  EXPECT_EQ(find_table("benchmark4_as1_seconds_others_percent").rows.size(), 56U);
}

TEST(reference, figures_of_the_other_benchmarks_are_those_of_the_paper) {
  EXPECT_EQ(find_table("benchmark2_shuffle_effects_1e7").rows[1][2], 11.4);  // table 15
  EXPECT_EQ(find_table("benchmark2_with_local_2e21").rows[21][9], 0.74);     // table 18
  const auto& utilization = find_table("benchmark3_as1_seconds_others_percent");
  EXPECT_EQ(utilization.rows[0][3], 0.063);
  EXPECT_FALSE(utilization.rows[22][5]);  // 2^32 bytes, AS3: fail
  EXPECT_EQ(find_table("benchmark4_as1_seconds_others_percent").rows[55][10], 21);
}

}  // namespace
}  // namespace mallard::lab
