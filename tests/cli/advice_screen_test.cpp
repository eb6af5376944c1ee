// The screen of `mallard advise`, of a report made by hand.
#include "cli/advice_screen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace mallard::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Advice to switch malloc, which took a tenth more of 20 MiB.
advise::advice_report tried() {
  advise::advice_report out;
  advise::advice one;
  one.what = "Switch malloc to fast";
  one.from.how = strategy::switch_malloc;
  one.from.malloc = "fast";
  one.tried = advise::trial_figures{{1.4, 1.5, 1.6}, 7, 1.1};
  out.advices.push_back(one);
  out.resident_as_it_is = 20 * 1024 * 1024;
  return out;
}

std::string screen_of(const advise::advice_report& report) {
  testing::internal::CaptureStdout();
  print_advice_screen(report, false);
  return testing::internal::GetCapturedStdout();
}

TEST(advice_screen, begins_with_what_to_do_and_its_gain) {
  EXPECT_THAT(screen_of(tried()),
              testing::StartsWith("Switch malloc to fast: 1.50 times as fast (1.40 to 1.60)\n"));
}

TEST(advice_screen, says_memory_as_a_share_and_in_bytes) {
  EXPECT_THAT(screen_of(tried()), HasSubstr("10 % more memory, 22 MiB resident at its peak\n"));
}

TEST(advice_screen, says_no_bytes_that_nobody_measured) {
  advise::advice_report report = tried();
  report.resident_as_it_is = 0;
  EXPECT_THAT(screen_of(report), HasSubstr("10 % more memory\n"));
  EXPECT_THAT(screen_of(report), Not(HasSubstr("resident")));
}

}  // namespace
}  // namespace mallard::cli
