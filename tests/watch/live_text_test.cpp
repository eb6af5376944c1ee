// The screen of `mallard live`.
#include "cli/live_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace {

using namespace mallard;
using namespace mallard::cli;
using testing::HasSubstr;

watch::rates rates_of(std::size_t functions, std::size_t threads) {
  watch::rates out;
  out.allocations = 1'234'567;
  for (std::size_t i = 0; i < functions; ++i) {
    out.functions.push_back({"function_" + std::to_string(i) + std::string(200, 'x'),
                             1000.0 - static_cast<double>(i), 10, 1, static_cast<double>(i)});
  }
  for (std::size_t i = 0; i < threads; ++i) {
    out.threads.push_back({static_cast<std::uint32_t>(i), "worker", 1, 2, 3});
  }
  return out;
}

TEST(live_screen, fits_the_terminal) {
  for (const std::size_t rows : {10u, 24u, 60u}) {
    for (const std::size_t width : {60u, 80u, 200u}) {
      live_view view;
      view.rows = rows;
      view.width = width;
      const std::string text = live_screen({}, rates_of(100, 100), std::string(500, 't'), view);
      EXPECT_LE(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), rows);
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        // An ellipsis is one character of three bytes.
        EXPECT_LE(line.size(), width + 2) << line;
      }
    }
  }
}

TEST(live_screen, orders_functions_by_rate_or_by_live_bytes) {
  live_view view;
  EXPECT_THAT(live_lines({}, rates_of(9, 1), view), HasSubstr("function_0"));
  EXPECT_THAT(live_lines({}, rates_of(9, 1), view), HasSubstr("1.23 M allocations/s"));
  view.by_live_bytes = true;
  const std::string text = live_lines({}, rates_of(9, 1), view);
  EXPECT_THAT(text, HasSubstr("function_8"));
  EXPECT_EQ(text.find("function_0"), text.npos);
}

TEST(live_summary, has_no_more_live_bytes_than_were_allocated) {
  watch::reading last;
  last.all = {.allocations = 3, .bytes = 3000, .frees = 1};
  last.sites = {{.live_blocks = 1, .live_bytes = 33'000}};
  EXPECT_EQ(live_summary(last),
            "in all: 3 allocations of 2.93 KiB, 1 frees; live at the end about 2.93 KiB\n");
}

}  // namespace
