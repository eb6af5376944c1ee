// Calls that programs seldom make are as they are without routes, for every strategy.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "whatif/strategies.hpp"
#include "whatif/whatif.hpp"

namespace {

using namespace mallard::whatif;
using mallard_test::strategies;

whatif_options options_for(const std::vector<std::string>& arguments, const std::string& pattern) {
  whatif_options out;
  out.command = {MALLARD_CORNERS_PROGRAM};
  out.command.insert(out.command.end(), arguments.begin(), arguments.end());
  out.library = MALLARD_ROUTE_FILE;
  out.repetitions = 1;
  for (const std::string& one : strategies) out.variants.push_back({one, {{pattern, one}}});
  return out;
}

// By tables and by frame pointers: where the program has none, those lead astray, which must not
// harm it either.
void expect_unharmed(const std::vector<std::string>& arguments, const std::string& pattern) {
  for (const bool by_frame_pointers : {false, true}) {
    whatif_options options = options_for(arguments, pattern);
    options.by_frame_pointers = by_frame_pointers;
    const whatif_result done = try_whatif(options);
    std::size_t routed = 0;
    for (const whatif_outcome& one : done.outcomes) {
      EXPECT_NE(one.runs, 0U) << arguments[0] << ' ' << one.variant << ": " << one.remark;
      if (one.routes.empty()) continue;
      EXPECT_GT(one.routes[0].blocks, 0U) << arguments[0];
      ++routed;
    }
    ASSERT_EQ(routed, strategies.size());
  }
}

TEST(corners, signals_interrupt_it_anywhere) {
  expect_unharmed({"interrupted"}, "produce");
}

TEST(corners, a_handler_allocates_on_a_stack_of_its_own) {
  expect_unharmed({"handlers"}, "produce");
}

TEST(corners, contexts_change_stacks) {
  expect_unharmed({"contexts"}, "produce");
}

TEST(corners, frames_are_left_by_jumps_and_exceptions) {
  expect_unharmed({"jumps"}, "deeper|produce");
}

TEST(corners, stacks_are_deep) {
  expect_unharmed({"recursion"}, "produce");
}

TEST(corners, libraries_come_and_go) {
  expect_unharmed({"libraries", MALLARD_FIRST_LIBRARY, MALLARD_SECOND_LIBRARY}, "allocate_some");
}

TEST(corners, threads_and_the_program_end) {
  expect_unharmed({"ends"}, "produce");
}

TEST(corners, programs_start_others_in_every_way) {
  expect_unharmed({"starts"}, "produce");
}

TEST(corners, errno_is_as_it_was) {
  expect_unharmed({"errnos"}, "produce");
}

TEST(corners, a_module_that_comes_and_goes_is_met_each_time) {
  whatif_options options =
      options_for({"libraries", MALLARD_FIRST_LIBRARY, MALLARD_SECOND_LIBRARY}, "");
  const std::string path = MALLARD_SECOND_LIBRARY;
  options.variants = {{"second", {{"module:" + path.substr(path.rfind('/') + 1), "multipool"}}}};
  EXPECT_EQ(try_whatif(options).outcomes.back().routes.at(0).blocks, 3U * 50);
}

// A mistake that the system's malloc may let pass ends the program at once.
TEST(corners, what_is_no_block_of_a_route_ends_the_program) {
  for (const char* what :
       {"inside", "odd", "realloc_freed", "usable_size_freed", "delete_freed", "beyond"}) {
    const whatif_result done = try_whatif(options_for({"misuse", what}, "produce"));
    for (std::size_t i = 1; i < done.outcomes.size(); ++i) {
      // With routes it ends in a way of its own; the system's may abort as well.
      const std::string& remark = done.outcomes[i].remark;
      EXPECT_TRUE(remark.empty() || remark.starts_with("was killed by signal 6 (") ||
                  remark.starts_with("the trial itself"))
          << what << ' ' << done.outcomes[i].variant << ": " << remark;
    }
  }
}

}  // namespace
