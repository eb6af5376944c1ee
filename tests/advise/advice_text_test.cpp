#include "advise/advice_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace mallard::advise;
using mallard::strategy;
using testing::HasSubstr;
using testing::StartsWith;

advice_report report() {
  advice_report out;
  out.command = {"./p", "a|b"};
  advice one;
  one.what = "Give parse a multipool";
  one.from.how = strategy::multipool;
  one.from.where = {"parse", "parse(int)", "/src/parse.cpp", 12, "order"};
  one.gain = {1.31, 1.34, 1.38};
  one.memory = 1.02;
  one.confidence = "high";
  one.code = "int x;\n";
  out.advices.push_back(one);
  return out;
}

TEST(advice_json, has_what_scripts_read) {
  const auto json = to_json(report());
  const auto& one = json["advice"][0];
  EXPECT_EQ(one["what"], "Give parse a multipool");
  EXPECT_EQ(one["where"]["line"], 12);
  EXPECT_EQ(one["strategy"], "multipool");
  EXPECT_EQ(one["gain"]["low"], 1.31);
  EXPECT_EQ(one["gain"]["median"], 1.34);
  EXPECT_EQ(one["gain"]["high"], 1.38);
  EXPECT_EQ(one["memory"], 1.02);
  EXPECT_EQ(one["confidence"], "high");
  EXPECT_EQ(one["code"], "int x;\n");
  EXPECT_TRUE(one["tried"].is_null());
}

TEST(advice_markdown, begins_with_the_verdict_and_keeps_its_table) {
  const std::string text = to_markdown(report());
  EXPECT_THAT(text, StartsWith("### Memory: `./p a\\|b`\n\n**Give parse a multipool**: the program "
                               "1.34 (1.31 to 1.38) times as fast, 2 % more memory.\n"));
  EXPECT_THAT(text, HasSubstr("| Give parse a multipool | parse.cpp:12 | 1.34 (1.31 to 1.38) |"));
  EXPECT_THAT(text, HasSubstr("```cpp\nint x;\n```"));
}

TEST(memory_text, says_more_less_or_the_same) {
  EXPECT_EQ(memory_text(1.004), "the same memory");
  EXPECT_EQ(memory_text(1.5), "50 % more memory");
  EXPECT_EQ(memory_text(0.9), "10 % less memory");
}

}  // namespace
