// Colours, heat maps and the progress line.
#include "cli/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cells.hpp"
#include "cli/heat_map.hpp"
#include "cli/progress_bar.hpp"

namespace mallard::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Colour, ChoiceWinsOverTheEnvironment) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_TRUE(use_colour(colour_choice::always, 1));
  EXPECT_FALSE(use_colour(colour_choice::never, 1));
  EXPECT_FALSE(use_colour(colour_choice::automatic, 1));
  unsetenv("NO_COLOR");
}

TEST(Colour, IsOffWhereThereIsNoTerminal) {
  EXPECT_FALSE(use_colour(colour_choice::automatic, -1));
}

TEST(Colour, HeatRunsFromGreenOverYellowToRed) {
  EXPECT_THAT(on_heat("x", 0), HasSubstr("48;2;99;190;123"));
  EXPECT_THAT(on_heat("x", 0.5), HasSubstr("48;2;255;235;132"));
  EXPECT_THAT(on_heat("x", 1), HasSubstr("48;2;248;105;107"));
  EXPECT_EQ(on_heat("x", 7), on_heat("x", 1));
}

std::vector<lab::cell_result> two_cells() {
  // 2^21 leaves: 0.2097152 s are 100 ns per leaf.
  auto cells = std::vector{lab::make_cell("DS2", 6, "AS1", "global", "clean", 0.2097152),
                           lab::make_cell("DS2", 6, "AS7", "mallard", "clean", 0.02097152)};
  cells.push_back(lab::make_cell("DS2", 8, "AS7", "mallard", "clean", 1));
  cells.back().error = "out of memory";
  return cells;
}

TEST(HeatMap, ShowsNanosecondsPerLeafAndFailures) {
  const std::string text = heat_maps(two_cells(), "clean", "mallard", false);
  EXPECT_THAT(text, HasSubstr("DS2 vector<string>, clean heap, mallard"));
  EXPECT_THAT(text, HasSubstr("2^6       100   10.0\n"));
  EXPECT_THAT(text, HasSubstr("2^8             FAIL\n"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
}

TEST(HeatMap, ColoursTheFastestGreenAndTheSlowestRed) {
  const std::string text = heat_maps(two_cells(), "clean", "mallard", true);
  EXPECT_THAT(text, HasSubstr("48;2;248;105;107m    100"));
  EXPECT_THAT(text, HasSubstr("48;2;99;190;123m   10.0"));
}

TEST(HeatMap, IsEmptyForAHeapThatWasNotMeasured) {
  EXPECT_EQ(heat_maps(two_cells(), "aged", "mallard", false), "");
}

TEST(SpeedUps, AreRelativeToTheGlobalHeap) {
  EXPECT_THAT(speed_ups(two_cells(), "clean"), HasSubstr("10.0"));
  EXPECT_EQ(speed_ups(two_cells(), "aged"), "");
}

TEST(Progress, LineShowsShareDoingAndTimeLeft) {
  const std::string line =
      progress_line({.done = 50, .total = 100, .seconds_left = 65.2, .doing = "DS6"});
  EXPECT_THAT(line, HasSubstr("[===============               ]"));
  EXPECT_THAT(line, HasSubstr(" 50 %"));
  EXPECT_THAT(line, HasSubstr("DS6"));
  EXPECT_THAT(line, HasSubstr("1:06 left"));
}

}  // namespace
}  // namespace mallard::cli
