// A program's time on a machine of its own.
#include "advise/plain_time.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advise::undisturbed_seconds;
using mallard::whatif::run_figures;

run_figures run(double seconds, double processor, double others) {
  run_figures out;
  out.seconds = seconds;
  out.processor_seconds = processor;
  out.others_seconds = others;
  return out;
}

TEST(undisturbed_seconds, are_all_where_nobody_else_works) {
  EXPECT_DOUBLE_EQ(undisturbed_seconds(run(10, 9.9, 0), 2), 10);
  EXPECT_DOUBLE_EQ(undisturbed_seconds(run(10, 1, 0), 2), 10) << "it slept";
}

TEST(undisturbed_seconds, are_the_processors_where_others_have_all_the_rest) {
  EXPECT_DOUBLE_EQ(undisturbed_seconds(run(45, 10, 80), 2), 10);
}

TEST(undisturbed_seconds, of_threads_are_the_time_that_passed) {
  EXPECT_DOUBLE_EQ(undisturbed_seconds(run(10, 20, 0), 2), 10);
}

}  // namespace
