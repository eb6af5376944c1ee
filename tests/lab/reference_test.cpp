// Spot checks of the built-in published figures against the paper's tables.
#include "lab/reference.hpp"

#include <gtest/gtest.h>

#include "lab/strategies.hpp"
#include "lab/structures.hpp"

namespace mallard::lab {
namespace {

TEST(Reference, FiguresAreThoseOfThePaper) {
  EXPECT_EQ(published_seconds("DS1", 6, "AS1"), 1.2);     // table 3
  EXPECT_EQ(published_seconds("DS2", 6, "AS1"), 68.9);    // table 4
  EXPECT_EQ(published_seconds("DS2", 16, "AS14"), 25.2);  // table 4
  EXPECT_EQ(published_seconds("DS7", 10, "AS4"), 2.61);   // table 9
  EXPECT_EQ(published_seconds("DS12", 6, "AS7"), 56.3);   // table 14
}

TEST(Reference, EveryPublishedCellIsThere) {
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

TEST(Reference, NothingIsMadeUpForOtherCells) {
  EXPECT_FALSE(published_seconds("DS1", 5, "AS1"));
  EXPECT_FALSE(published_seconds("DS1", 17, "AS1"));
  EXPECT_FALSE(published_seconds("DS1", 6, "AS3n"));
  EXPECT_FALSE(published_seconds("DS13", 6, "AS1"));
}

}  // namespace
}  // namespace mallard::lab
