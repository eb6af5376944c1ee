#include "mallard/checks/block_origins.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "mallard/checks/default_resource_guard.hpp"
#include "mallard/multipool.hpp"

namespace {

using mallard::default_resource_guard;
using mallard::origins_of;
using mallard::strangers_in;
using mallard::test_fault;
using mallard::test_report;
using mallard::test_resource;

const std::string long_text(100, 'x');

TEST(block_origins, every_block_of_a_container_of_containers_is_found) {
  test_resource here({.name = "here"});
  std::pmr::map<int, std::pmr::vector<std::pmr::string>> all(&here);
  for (int i = 0; i < 20; ++i) all[i].assign(3, std::pmr::string(long_text, &here));
  const auto found = origins_of(all);
  EXPECT_EQ(found.size(), here.counts().in_use_blocks);
  for (const auto& b : found) EXPECT_EQ(b.resource, &here);
  EXPECT_TRUE(strangers_in(all, here).empty());
}

TEST(block_origins, an_object_without_blocks_has_none) {
  test_resource here;
  void* const other = here.allocate(100, 8);
  const std::pmr::vector<int> empty(&here);
  EXPECT_TRUE(origins_of(empty).empty());
  here.deallocate(other, 100, 8);
}

// A type that forgets to pass its allocator on.
struct forgetful {
  using allocator_type = std::pmr::polymorphic_allocator<>;
  explicit forgetful(allocator_type a) : names(a) {}
  std::pmr::vector<std::pmr::string> names;
  std::pmr::string title{long_text};  // from the default resource
};

TEST(block_origins, a_member_that_was_forgotten_is_a_stranger) {
  test_resource fallback({.name = "the default resource"});
  test_resource here({.name = "here"});
  const default_resource_guard guard(&fallback);
  forgetful f(&here);
  f.names.emplace_back(long_text);
  EXPECT_EQ(origins_of(f).size(), 3u);
  const auto strangers = strangers_in(f, here);
  ASSERT_EQ(strangers.size(), 1u);
  EXPECT_STREQ(strangers[0].resource->name(), "the default resource");
  EXPECT_GT(strangers[0].bytes, long_text.size());
}

TEST(block_origins, a_copy_is_not_where_the_original_is) {
  test_resource fallback({.name = "default"});
  mallard::checked<mallard::multipool_resource> here;
  const default_resource_guard guard(&fallback);
  const std::pmr::vector<int> original(100, 7, &here);
  const std::pmr::vector<int> copy(original);
  EXPECT_TRUE(strangers_in(original, here).empty());
  EXPECT_EQ(strangers_in(copy, here).size(), 1u);
  EXPECT_TRUE(strangers_in(copy, fallback).empty());
}

TEST(block_origins, cycles_end) {
  struct node {
    node* next;
  };
  test_resource here;
  auto* const a = ::new (here.allocate(sizeof(node), alignof(node))) node{nullptr};
  auto* const b = ::new (here.allocate(sizeof(node), alignof(node))) node{a};
  a->next = b;
  EXPECT_EQ(origins_of(a).size(), 2u);
  here.deallocate(a, sizeof(node), alignof(node));
  here.deallocate(b, sizeof(node), alignof(node));
}

TEST(default_resource_guard, puts_the_default_back) {
  std::pmr::memory_resource* const before = std::pmr::get_default_resource();
  test_resource temporary;
  {
    const default_resource_guard guard(&temporary);
    EXPECT_EQ(std::pmr::get_default_resource(), &temporary);
    EXPECT_EQ(guard.before(), before);
  }
  EXPECT_EQ(std::pmr::get_default_resource(), before);
}

TEST(forbidden_default, reports_who_uses_it_and_serves_it) {
  std::vector<test_report> reports;
  test_resource here;
  {
    const mallard::forbidden_default none([&](const test_report& r) { reports.push_back(r); });
    const std::pmr::vector<int> v(100, 7, &here);
    EXPECT_TRUE(reports.empty());
    const std::pmr::vector<int> copy(v);
    EXPECT_EQ(copy.size(), 100u);
  }
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].fault, test_fault::from_default);
  EXPECT_EQ(reports[0].bytes, 100 * sizeof(int));
}

TEST(forbidden_default_death, without_a_handler_aborts) {
  EXPECT_DEATH(
      {
        const mallard::forbidden_default none;
        const std::pmr::vector<int> v(100);
      },
      "from_default: 400 bytes at alignment 4");
}

}  // namespace
