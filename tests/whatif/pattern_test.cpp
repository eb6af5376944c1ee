// The meaning of a route's words.
#include "whatif/pattern.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "support/message_of.hpp"

namespace {

using namespace mallard::whatif;
using mallard::strategy;
using mallard::route::route_rule;

std::string complaint(const whatif_route& route) {
  conditions all;
  return mallard_test::message_of([&] { parse_route(route, all); });
}

TEST(pattern, a_bare_word_is_a_function) {
  conditions all;
  const route_rule rule = parse_route({"parse_.*", "monotonic"}, all);
  ASSERT_EQ(all.functions.size(), 1U);
  EXPECT_EQ(all.functions[0].text, "parse_.*");
  EXPECT_EQ(rule.marks, 1U);
  EXPECT_EQ(rule.how, strategy::monotonic);
}

TEST(pattern, conditions_are_joined_and_those_alike_are_one) {
  conditions all;
  const route_rule first = parse_route({"function:a+scope:s+module:lib*+size:1-256", "heap"}, all);
  const route_rule second = parse_route({"function:b+module:lib*", "multipool"}, all);
  EXPECT_EQ(all.functions.size(), 2U);
  EXPECT_EQ(all.modules.size(), 1U);
  EXPECT_EQ(all.scopes.size(), 1U);
  EXPECT_EQ(first.marks, 1U | 1U << 24);
  EXPECT_EQ(second.marks, 2U | 1U << 24);
  EXPECT_EQ(first.scopes, 1U);
  EXPECT_EQ(first.smallest, 1U);
  EXPECT_EQ(first.largest, 256U);
}

TEST(pattern, functions_that_must_not_be_on_the_stack_are_marks_of_their_own) {
  conditions all;
  const route_rule rule = parse_route({"handle+not:remember+not:log", "monotonic"}, all);
  ASSERT_EQ(all.functions.size(), 3U);
  EXPECT_EQ(all.functions[1].text, "remember");
  EXPECT_EQ(rule.marks, 1U);
  EXPECT_EQ(rule.without, 2U | 4U);
}

TEST(pattern, a_plus_may_be_part_of_a_regular_expression) {
  conditions all;
  parse_route({"function:operator\\++x+", "heap"}, all);
  ASSERT_EQ(all.functions.size(), 1U);
  EXPECT_EQ(all.functions[0].text, "operator\\++x+");
}

// By backtracking each more letter doubles the time: 300 would outlast the sun.
TEST(pattern, of_nested_repetitions_takes_no_longer_than_others) {
  conditions all;
  parse_route({"(a+)+$", "heap"}, all);
  EXPECT_FALSE(all.functions[0].pattern.is_in(std::string(300, 'a').append(1, 'b')));
  EXPECT_TRUE(all.functions[0].pattern.is_in(std::string(300, 'a')));
}

TEST(pattern, sizes_are_a_range_one_number_or_open) {
  conditions all;
  EXPECT_EQ(parse_route({"size:24", "heap"}, all).smallest, 24U);
  EXPECT_EQ(parse_route({"size:24", "heap"}, all).largest, 24U);
  EXPECT_EQ(parse_route({"size:4096-", "heap"}, all).largest, UINT64_MAX);
}

TEST(pattern, lines_are_those_of_a_file_by_the_end_of_its_path) {
  conditions all;
  const route_rule rule = parse_route({"line:src/server.cpp:40-52", "monotonic"}, all);
  ASSERT_EQ(all.functions.size(), 1U);
  EXPECT_EQ(rule.marks, mallard::route::marks::of_function(0));
  const function_condition& lines = all.functions[0];
  EXPECT_TRUE(lines.holds_for("main", "/home/me/src/server.cpp", 40));
  EXPECT_TRUE(lines.holds_for("", "src/server.cpp", 52));
  EXPECT_FALSE(lines.holds_for("main", "/home/me/src/server.cpp", 53));
  EXPECT_FALSE(lines.holds_for("main", "/home/me/othersrc/server.cpp", 45));
  EXPECT_FALSE(lines.holds_for("main", "", 45));
}

TEST(pattern, what_cannot_be_meant_is_one_line) {
  for (const whatif_route& route : std::vector<whatif_route>{{"", "heap"},
                                                             {"(", "heap"},
                                                             {"f", "faster"},
                                                             {"size:x", "heap"},
                                                             {"size:9-1", "heap"},
                                                             {"size:1-2+size:3-4", "heap"},
                                                             {"line:9", "monotonic"},
                                                             {"line:a.cpp:9-1", "monotonic"},
                                                             {"line:a.cpp:x", "monotonic"},
                                                             {"not:f", "monotonic"}}) {
    const std::string line = complaint(route);
    EXPECT_FALSE(line.empty()) << route.pattern;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
  EXPECT_NE(complaint({"f", "faster"}).find("known: monotonic, multipool"), std::string::npos);
}

TEST(pattern, monotonic_without_an_end_is_refused) {
  EXPECT_NE(complaint({"size:1-256", "monotonic"}).find("needs the end of"), std::string::npos);
  EXPECT_NE(complaint({"module:lib*", "multipool-on-monotonic"}).find("needs the end of"),
            std::string::npos);
  EXPECT_EQ(complaint({"scope:request", "monotonic"}), "");
}

TEST(pattern, the_runtime_is_nobodys_own) {
  EXPECT_TRUE(is_runtime("/usr/lib/x86_64-linux-gnu/libstdc++.so.6"));
  EXPECT_TRUE(is_runtime("/lib/libc.so.6"));
  EXPECT_FALSE(is_runtime("/usr/lib/libcairo.so.2"));
  EXPECT_TRUE(is_module("/usr/lib/libxml2.so.2", "libxml2*"));
}

}  // namespace
