// Colours and the progress line.
#include "cli/terminal.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "cli/progress_bar.hpp"

namespace mallard::cli {
namespace {

using testing::HasSubstr;

TEST(colour, choice_wins_over_the_environment) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_TRUE(use_colour(colour_choice::always, 1));
  EXPECT_FALSE(use_colour(colour_choice::never, 1));
  EXPECT_FALSE(use_colour(colour_choice::automatic, 1));
  unsetenv("NO_COLOR");
}

TEST(colour, is_off_where_lines_cannot_be_drawn_anew) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  const char* const set = std::getenv("TERM");
  const std::string before = set != nullptr ? set : "";
  setenv("TERM", "xterm", 1);
  EXPECT_TRUE(is_screen(terminal));
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(is_screen(terminal));
  EXPECT_FALSE(use_colour(colour_choice::automatic, terminal));
  before.empty() ? unsetenv("TERM") : setenv("TERM", before.c_str(), 1);
  close(terminal);
}

TEST(colour, is_off_where_there_is_no_terminal) {
  EXPECT_FALSE(use_colour(colour_choice::automatic, -1));
}

TEST(colour, heat_runs_from_green_over_yellow_to_red) {
  EXPECT_THAT(on_heat("x", 0), HasSubstr("48;2;99;190;123"));
  EXPECT_THAT(on_heat("x", 0.5), HasSubstr("48;2;255;235;132"));
  EXPECT_THAT(on_heat("x", 1), HasSubstr("48;2;248;105;107"));
  EXPECT_EQ(on_heat("x", 7), on_heat("x", 1));
}

TEST(progress, line_shows_share_doing_and_time_left) {
  const std::string line =
      progress_line({.done = 50, .total = 100, .seconds_left = 65.2, .doing = "DS6"});
  EXPECT_THAT(line, HasSubstr("[===============               ]"));
  EXPECT_THAT(line, HasSubstr(" 50 %"));
  EXPECT_THAT(line, HasSubstr("DS6"));
  EXPECT_THAT(line, HasSubstr("1:06 left"));
}

}  // namespace
}  // namespace mallard::cli
