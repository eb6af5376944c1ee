#include "mallard/memory/numa.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <numeric>

#include "mallard/multipool.hpp"
#include "memory/expect_memory_error.hpp"
#include "support/units.hpp"

namespace {

using mallard::memory_fault;
using mallard::numa_policy;
using mallard::numa_resource;
using mallard_test::expect_memory_error;

using mallard_test::mib;

TEST(numa_resource, where_there_are_no_policies_that_is_the_answer) {
  if (numa_resource::available()) GTEST_SKIP() << "they are available here";
  expect_memory_error(memory_fault::not_available, std::errc::function_not_supported,
                      [] { numa_resource resource; });
}

class with_policies : public testing::Test {
  void SetUp() override {
    if (!numa_resource::available()) GTEST_SKIP() << "memory policies are not available here";
  }
};

TEST_F(with_policies, touched_pages_are_of_the_nodes_asked_for) {
  const std::uint64_t allowed = numa_resource::allowed_nodes();
  for (const numa_policy policy :
       {numa_policy::bind, numa_policy::interleave, numa_policy::preferred, numa_policy::local}) {
    numa_resource resource({.policy = policy, .nodes = policy == numa_policy::local ? 0 : allowed});
    auto* const p = static_cast<char*>(resource.allocate(mib));
    EXPECT_EQ(resource.node_of(p + mib / 2), -1);
    std::memset(p, 1, mib);
    const int node = resource.node_of(p + mib / 2);
    ASSERT_GE(node, 0);
    EXPECT_NE(allowed >> node & 1, 0u);
    const auto got = resource.obtained();
    const std::size_t touched =
        std::accumulate(got.bytes_of_node.begin(), got.bytes_of_node.end(), std::size_t{});
    EXPECT_GE(touched, mib);
    EXPECT_EQ(touched + got.untouched_bytes, resource.stats().usable_bytes);
    if (policy == numa_policy::interleave) {
      for (int i = 0; i < 64; ++i) {
        EXPECT_EQ(got.bytes_of_node[static_cast<std::size_t>(i)] != 0, (allowed >> i & 1) != 0);
      }
    }
  }
  int elsewhere = 0;
  EXPECT_EQ(numa_resource().node_of(&elsewhere), -1);
}

TEST_F(with_policies, nodes_that_are_not_there_are_an_error) {
  const std::uint64_t absent = ~numa_resource::allowed_nodes();
  if (absent == 0) GTEST_SKIP() << "all 64 nodes are there";
  const std::string text =
      expect_memory_error(memory_fault::not_available, std::errc::invalid_argument, [&] {
        numa_resource resource(
            {.policy = numa_policy::bind, .nodes = std::uint64_t{1} << std::countr_zero(absent)});
      });
  EXPECT_NE(text.find("available here"), std::string::npos) << text;
}

TEST_F(with_policies, bad_options_and_requests_throw) {
  const auto expect = [](mallard::numa_options options) {
    expect_memory_error(memory_fault::bad_limit, std::errc::invalid_argument,
                        [&] { numa_resource resource(options); });
  };
  expect({.limit_bytes = 0});
  expect({.policy = numa_policy::bind});
  expect({.policy = numa_policy::local, .nodes = 1});
  numa_resource resource;
  mallard_test::expect_bad_requests_to_throw(resource);
}

}  // namespace
