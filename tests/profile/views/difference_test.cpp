// Growth from one trace to another.
#include "profile/views/difference.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "profile/trace_script.hpp"

namespace mallard::profile {
namespace {

program_sums program(const std::string& name, const std::function<void(trace_script&)>& body) {
  const scratch_file file(name);
  trace_script script(file.path());
  body(script);
  script.finish();
  trace_reader trace(file.path());
  return sum_up(trace, false);
}

class difference_test : public testing::Test {
 protected:
  const program_sums before = program("before", [](trace_script& s) {
    s.call("main", 1, [&] {
      s.call("gone", 1, [&] { s.free(2, s.allocate(1, 70)); });
      s.call("grown", 2, [&] { s.free(2, s.allocate(1, 100)); });
      s.call("same", 3, [&] { s.free(2, s.allocate(1, 8)); });
    });
  });
  const program_sums after = program("after", [](trace_script& s) {
    s.call("main", 1, [&] {
      s.call("grown", 2, [&] {
        s.free(2, s.allocate(1, 100));
        s.allocate(3, 50);
      });
      s.call("same", 3, [&] { s.free(2, s.allocate(1, 8)); });
      s.call("fresh", 4, [&] { s.allocate(1, 3); });
    });
  });
};

TEST_F(difference_test, has_each_function_of_either) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> bytes;
  for (const site_change& one : changes(before, after)) {
    bytes[one.any().function] = {one.before.bytes, one.after.bytes};
  }
  const decltype(bytes) expected = {
      {"gone", {70, 0}}, {"grown", {100, 150}}, {"same", {8, 8}}, {"fresh", {0, 3}}};
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(after.total.live_bytes - before.total.live_bytes, 53u);
}

TEST_F(difference_test, of_stacks_is_what_flame_graphs_of_differences_are_made_of) {
  EXPECT_EQ(to_collapsed_difference(before.stacks, after.stacks, *find_weight("alloc_space")),
            "main;fresh 0 3\nmain;gone 70 0\nmain;grown 100 150\nmain;same 8 8\n");
}

TEST(sites, charge_the_innermost_function_inlined_or_not_as_exported_stacks_do) {
  const program_sums sums = program("inlined", [](trace_script& s) {
    s.call("main", 1, [&] {
      s.call("std::allocator_traits<x>::allocate < push < parse", 2, [&] { s.allocate(3, 100); });
      s.call("operator new < make < parse", 3, [&] { s.allocate(3, 30); });
      s.call("scan.cold", 4, [&] { s.allocate(1, 5); });
    });
  });
  std::map<std::string, std::uint64_t> of_trace, of_stacks;
  for (const site& one : sums.sites) of_trace[one.function] = one.bytes;
  for (const profile_node& one : sums.stacks.nodes) {
    if (one.own.any()) of_stacks[sums.stacks.functions[one.function].name] += one.own.bytes;
  }
  const std::map<std::string, std::uint64_t> expected = {{"push", 100}, {"make", 30}, {"scan", 5}};
  EXPECT_EQ(of_trace, expected);
  EXPECT_EQ(of_stacks, expected);
}

TEST(difference_without_stacks, is_known_to_be_one) {
  EXPECT_TRUE(program("some", [](trace_script& s) {
                s.call("main", 1, [&] { s.allocate(1, 3); });
              }).has_stacks);
  EXPECT_FALSE(
      program("none", [](trace_script& s) { s.free_without_stack(s.allocate(0, 3)); }).has_stacks);
}

}  // namespace
}  // namespace mallard::profile
