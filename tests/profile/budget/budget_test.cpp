// Budgets: what a line means, and what is found in traces of programs with known answers.
#include "profile/budget/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "profile/nearest_names.hpp"
#include "profile/trace/lacks.hpp"
#include "profile/trace_script.hpp"
#include "support/message_of.hpp"
#include "support/read_file.hpp"

namespace mallard::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<budget_rule> rules(const std::string& text) {
  std::istringstream in(text);
  return parse_budget(in, "b");
}

std::string error_of(const std::string& text) {
  return mallard_test::message_of([&] { rules(text); }, "none");
}

TEST(budget_file, has_a_rule_a_line_and_remarks) {
  const auto read = rules("# at most\npeak <= 1.5 MiB\n\n  leaks in a<b> <= c <= 0\n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].what, budget_measure::peak);
  EXPECT_EQ(read[0].limit, 3u << 19);
  EXPECT_EQ(read[0].pattern, "");
  EXPECT_EQ(read[1].what, budget_measure::leaks);
  EXPECT_EQ(read[1].pattern, "a<b> <= c");
  EXPECT_EQ(read[1].line, 4u);
}

TEST(budget_file, has_limits_that_are_whole_numbers_of_bytes) {
  EXPECT_EQ(rules("bytes <= 1.005 kB").front().limit, 1005u);
  EXPECT_EQ(rules("bytes <= 0.1 kB").front().limit, 100u);
  EXPECT_THAT(error_of("bytes <= 1.0005 kB"), HasSubstr("is not a whole number"));
  EXPECT_THAT(error_of("bytes <= 9223372036854775808"), HasSubstr("is too large"));
}

TEST(budget_file, has_rules_for_each_call_and_for_none) {
  const auto read =
      rules("allocations per call of f <= 200 +10 %\nbytes per call in g<+> <= 4 KiB\nnone in h");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_TRUE(read[0].per_call);
  EXPECT_EQ(read[0].pattern, "f");
  EXPECT_EQ(read[0].limit, 200u);
  EXPECT_EQ(read[0].tolerance, 20u);
  EXPECT_EQ(read[1].what, budget_measure::bytes);
  EXPECT_EQ(read[1].pattern, "g<+>");
  EXPECT_EQ(read[1].limit, 4096u);
  EXPECT_EQ(read[1].tolerance, 0u);
  EXPECT_EQ(read[2].what, budget_measure::allocations);
  EXPECT_FALSE(read[2].per_call);
  EXPECT_EQ(read[2].pattern, "h");
  EXPECT_EQ(read[2].limit, 0u);
}

TEST(budget_file, what_is_no_rule_is_named_with_its_line) {
  EXPECT_EQ(error_of("# nothing\n"), "b: has no rules");
  EXPECT_THAT(error_of("\npeak 3\n"), HasSubstr("b:2: 'peak 3' is neither MEASURE"));
  EXPECT_THAT(error_of("weight <= 3"), HasSubstr("b:1: unknown measure 'weight' (known: peak, "));
  EXPECT_THAT(error_of("peak <= many"), HasSubstr("'many' is not a number"));
  EXPECT_THAT(error_of("peak <= -1"), HasSubstr("'-1' is not a number of 0 or more"));
  EXPECT_THAT(error_of("peak <= nan"), HasSubstr("'nan' is not a number"));
  EXPECT_THAT(error_of("peak <= 1 furlong"), HasSubstr("'furlong' is not a unit"));
  EXPECT_THAT(error_of("leaks <= 1 KiB"), HasSubstr("'KiB' is not a unit of this"));
  EXPECT_THAT(error_of("leaks <= 0.5"), HasSubstr("'0.5' is not a whole number"));
  EXPECT_THAT(error_of("peak <= 1e30"), HasSubstr("too large"));
  EXPECT_THAT(error_of("leaks in ( <= 1"), HasSubstr("'(' is not a regular expression"));
  EXPECT_THAT(error_of("leaks under f <= 1"), HasSubstr("is neither MEASURE"));
  EXPECT_THAT(error_of("survivors <= 1"), HasSubstr("survivors need a function"));
  EXPECT_THAT(error_of("peak per call of f <= 1"), HasSubstr("only allocations and bytes have"));
  EXPECT_THAT(error_of("bytes per run of f <= 1"), HasSubstr("is neither MEASURE"));
  EXPECT_THAT(error_of("bytes per call <= 1"), HasSubstr("is neither MEASURE"));
  EXPECT_THAT(error_of("bytes <= 1 + 5"), HasSubstr("'+ 5' is not +TOLERANCE %"));
  EXPECT_THAT(error_of("bytes <= 1 + -5 %"), HasSubstr("is not +TOLERANCE %"));
  EXPECT_THAT(error_of("none in "), HasSubstr("is neither MEASURE"));
}

// main calls `parse` twice: 3 blocks each, of which one outlives it; the second is never freed.
class budget_test : public testing::Test {
 protected:
  void SetUp() override {
    trace_script script(file_.path());
    script.call("main", 1, [&] {
      std::uint64_t kept = 0;
      for (int i = 0; i < 2; ++i) {
        script.call("parse", 2, [&] {
          std::uint64_t scratch = 0;
          script.call("lex", 1, [&] { scratch = script.allocate(1, 1000); });
          script.call("std::make_unique<node>", 2, [&] { kept = script.allocate(1, 10); });
          script.free(3, script.allocate(3, 100));
          script.free(4, scratch);
        });
        if (i == 0) script.free(3, kept);
      }
    });
    script.finish();
  }

  budget_finding found(const std::string& rule) {
    trace_reader trace(file_.path());
    return check_budget(trace, rules(rule)).front();
  }

  scratch_file file_;
};

TEST_F(budget_test, counts_the_whole_program) {
  EXPECT_EQ(found("allocations <= 6").found, 6u);
  EXPECT_EQ(found("bytes <= 2220").found, 2220u);
  EXPECT_EQ(found("peak <= 1110").found, 1110u);
  EXPECT_EQ(found("leaks <= 0").found, 1u);
  EXPECT_EQ(found("leaked <= 0").found, 10u);
}

TEST_F(budget_test, counts_what_a_function_and_what_it_calls_allocate) {
  EXPECT_EQ(found("allocations in parse <= 6").found, 6u);
  EXPECT_EQ(found("allocations in ^lex$ <= 6").found, 2u);
  EXPECT_EQ(found("peak in lex <= 1").found, 1000u);
  EXPECT_EQ(found("leaks in <node> <= 0").found, 1u);
  EXPECT_EQ(found("leaks in lex <= 0").found, 0u);
}

TEST_F(budget_test, counts_what_outlives_a_function_however_much_of_it) {
  const budget_finding survivors = found("survivors of parse <= 1");
  EXPECT_EQ(survivors.found, 2u);
  ASSERT_TRUE(survivors.where);
  EXPECT_EQ(survivors.where->function, "std::make_unique<node>");
  EXPECT_EQ(survivors.where->line, 1u);
  EXPECT_EQ(found("survivors of main <= 1").found, 1u);
}

TEST_F(budget_test, per_call_is_the_most_that_one_call_takes) {
  EXPECT_EQ(found("allocations per call of parse <= 3").found, 3u);
  EXPECT_EQ(found("bytes per call of parse <= 1110").found, 1110u);
  EXPECT_EQ(found("allocations per call of main <= 6").found, 6u);
  EXPECT_EQ(found("bytes per call of lex <= 1000").found, 1000u);
  EXPECT_FALSE(found("allocations per call of pars_ <= 3").found);
  EXPECT_EQ(found("none in lex").found, 2u);
}

TEST_F(budget_test, may_be_exceeded_by_the_tolerance) {
  EXPECT_TRUE(found("allocations <= 5 +20 %").kept());
  EXPECT_FALSE(found("allocations <= 5 +19 %").kept());
}

TEST_F(budget_test, of_a_function_that_is_inlined_says_nothing_of_its_calls) {
  trace_script script(file_.path());
  script.call("tokenize < main", 1, [&] { script.allocate(3, 100); });
  script.finish();
  const budget_finding none = found("survivors of tokenize <= 0");
  EXPECT_FALSE(none.kept());
  EXPECT_TRUE(none.is_inlined);
  EXPECT_TRUE(found("allocations per call of tokenize <= 9").is_inlined);
  EXPECT_EQ(found("allocations in tokenize <= 9").found, 1u);
}

TEST_F(budget_test, is_tightened_to_what_was_found_and_nothing_else_changes) {
  const scratch_file budget("budget");
  std::ofstream(budget.path()) << "# ours\nbytes <= 1 MiB + 5 %\n\nleaks <= 0\n"
                                  "  allocations in lex <= 9\npeak in lex <= 1000";
  trace_reader trace(file_.path());
  EXPECT_EQ(tighten_budget(budget.path(), check_budget(trace, read_budget(budget.path()))), 2u);
  EXPECT_EQ(mallard_test::read_file(budget.path()),
            "# ours\nbytes <= 2220 + 5 %\n\nleaks <= 0\n"
            "  allocations in lex <= 2\npeak in lex <= 1000");
}

TEST_F(budget_test, is_kept_up_to_the_limit_itself) {
  EXPECT_TRUE(found("allocations <= 6").kept());
  EXPECT_FALSE(found("allocations <= 5").kept());
}

// One of these six blocks has a stack.
TEST_F(budget_test, is_doubted_where_blocks_without_a_stack_may_make_the_difference) {
  process_info process = trace_script::default_process();
  process.sample_stacks = 6;
  trace_script script(file_.path(), process);
  for (int i = 0; i < 5; ++i) script.allocate(1, 10);
  script.call("main", 1, [&] { script.call("parse", 2, [&] { script.allocate(3, 10); }); });
  script.finish();
  const budget_finding few = found("allocations in parse <= 5");
  EXPECT_FALSE(few.kept());
  ASSERT_TRUE(few.doubts);
  EXPECT_EQ(few.doubts->least, 1u);
  EXPECT_EQ(few.doubts->most, 6u);
  EXPECT_TRUE(found("allocations in parse <= 6").kept());
  EXPECT_FALSE(found("none in parse").doubts);  // that is broken in any case
  EXPECT_TRUE(found("allocations <= 6").kept());
}

TEST_F(budget_test, of_survivors_is_doubted_where_frees_have_no_stacks) {
  process_info process = trace_script::default_process();
  process.not_recorded = {stacks_of_frees};
  trace_script script(file_.path(), process);
  script.call("main", 1, [&] {
    script.call("parse", 2, [&] { script.free_without_stack(script.allocate(3, 10)); });
  });
  script.finish();
  const budget_finding survivors = found("survivors of parse <= 0");
  EXPECT_FALSE(survivors.kept());
  EXPECT_TRUE(survivors.doubts);
}

// Whether the call had ended before that cannot be told from the next allocation at the same place.
TEST_F(budget_test, of_survivors_tells_bounds_where_another_thread_freed_blocks) {
  trace_script script(file_.path());
  script.call("main", 1, [&] {
    script.call("work", 2, [&] {
      const std::uint64_t first = script.allocate(3, 10);
      script.on_thread(1);
      script.call("start_thread", 1,
                  [&] { script.call("consume", 1, [&] { script.free(5, first); }); });
      script.on_thread(0);
      script.free(6, script.allocate(3, 10));
    });
  });
  script.finish();
  const budget_finding none = found("survivors of work <= 0");
  EXPECT_FALSE(none.kept());
  ASSERT_TRUE(none.unclear);
  EXPECT_EQ(none.unclear->least, 0u);
  EXPECT_EQ(none.unclear->most, 1u);
  EXPECT_TRUE(found("survivors of work <= 1").kept());
}

TEST_F(budget_test, says_where_most_of_it_is) {
  const budget_finding bytes = found("bytes <= 1");
  ASSERT_TRUE(bytes.where);
  EXPECT_EQ(bytes.where->function, "lex");
}

TEST_F(budget_test, of_a_function_that_is_not_there_is_not_kept_and_names_the_nearest) {
  const budget_finding none = found("allocations in pars_ <= 6");
  EXPECT_FALSE(none.found);
  EXPECT_FALSE(none.kept());
  EXPECT_THAT(none.nearest, ElementsAre("parse"));
  EXPECT_FALSE(found("survivors of nothing_like_it <= 6").kept());
}

TEST(nearest_names, are_those_that_contain_it_or_differ_little) {
  const std::set<std::string> names = {"app::parse_request(int)", "app::parse(int)", "main", "lex"};
  EXPECT_THAT(nearest_names("parse_requst", names, 2), ElementsAre("app::parse_request(int)"));
  EXPECT_THAT(nearest_names("Parse", names, 2),
              ElementsAre("app::parse(int)", "app::parse_request(int)"));
  EXPECT_THAT(nearest_names("zzzzzz", names, 2), IsEmpty());
}

}  // namespace
}  // namespace mallard::profile
