#include "mallard/checks/counting_resource.hpp"

#include <gtest/gtest.h>

#include <memory_resource>
#include <string>
#include <vector>

#include "mallard/checks/counting_report.hpp"
#include "mallard/multipool.hpp"

namespace {

using mallard::counting_resource;
using mallard::counting_scope;

TEST(counting_resource, counts_blocks_and_bytes_in_use_at_most_and_in_all) {
  counting_resource counter;
  void* const a = counter.allocate(100, 8);
  void* const b = counter.allocate(50, 64);
  counter.deallocate(a, 100, 8);
  void* const c = counter.allocate(10, 4);

  const auto counts = counter.counts();
  EXPECT_EQ(counts.allocations, 3u);
  EXPECT_EQ(counts.deallocations, 1u);
  EXPECT_EQ(counts.in_use_blocks, 2u);
  EXPECT_EQ(counts.peak_blocks, 2u);
  EXPECT_EQ(counts.in_use_bytes, 60u);
  EXPECT_EQ(counts.peak_bytes, 150u);
  EXPECT_EQ(counts.total_bytes, 160u);
  EXPECT_EQ(counts.largest_bytes, 100u);
  EXPECT_EQ(counts.largest_alignment, 64u);

  counter.deallocate(b, 50, 64);
  counter.deallocate(c, 10, 4);
  EXPECT_EQ(counter.counts().in_use_blocks, 0u);
  EXPECT_EQ(counter.counts().in_use_bytes, 0u);
}

TEST(counting_resource, counts_nothing_when_upstream_throws) {
  counting_resource counter(std::pmr::null_memory_resource());
  EXPECT_THROW((void)counter.allocate(1, 1), std::bad_alloc);
  EXPECT_EQ(counter.counts().allocations, 0u);
  EXPECT_EQ(counter.counts().largest_bytes, 0u);
}

TEST(counting_resource, sees_what_a_container_does) {
  counting_resource counter;
  {
    std::pmr::vector<int> numbers(&counter);
    numbers.assign(1000, 7);
    EXPECT_EQ(counter.counts().allocations, 1u);
    EXPECT_EQ(counter.counts().in_use_bytes, 1000 * sizeof(int));
  }
  EXPECT_EQ(counter.counts().in_use_bytes, 0u);
}

mallard::counting_report report_on(const std::string& name) {
  for (auto& one : mallard::counting_reports()) {
    if (one.name == name) return one;
  }
  return {};
}

TEST(counting_resource, is_in_the_reports_by_its_name_as_long_as_it_lives) {
  {
    counting_resource counter("by name");
    counter.deallocate(counter.allocate(24, 8), 24, 8);
    counting_resource nameless;
    EXPECT_EQ(report_on("by name").counts.total_bytes, 24u);
    EXPECT_EQ(mallard::counting_reports().size(), 1u);
  }
  EXPECT_TRUE(mallard::counting_reports().empty());
  EXPECT_EQ(mallard::counting_table(), "");
  EXPECT_EQ(mallard::counting_json(), "[]");
}

TEST(counting_resource, counts_by_the_size_classes_of_the_pools) {
  counting_resource counter("classes");
  for (const std::size_t bytes : {0u, 16u, 17u, 24u, 1024u, 1025u, 32768u}) {
    counter.deallocate(counter.allocate(bytes, 8), bytes, 8);
  }
  void* const large = counter.allocate(32769, 8);
  const auto classes = report_on("classes").classes;
  counter.deallocate(large, 32769, 8);
  ASSERT_EQ(classes.size(), 6u);
  EXPECT_EQ(classes[0].up_to_bytes, 16u);
  EXPECT_EQ(classes[0].allocations, 2u);
  EXPECT_EQ(classes[1].up_to_bytes, 24u);
  EXPECT_EQ(classes[1].allocations, 2u);
  EXPECT_EQ(classes[2].up_to_bytes, 1024u);
  EXPECT_EQ(classes[3].up_to_bytes, 1280u);
  EXPECT_EQ(classes[4].up_to_bytes, 32768u);
  EXPECT_EQ(classes[4].deallocations, 1u);
  EXPECT_EQ(classes[5].up_to_bytes, ~std::size_t{0});
  EXPECT_EQ(classes[5].allocations, 1u);
  EXPECT_EQ(classes[5].deallocations, 0u);
}

TEST(counting_scope, counts_what_happens_in_it) {
  counting_resource counter;
  void* const before = counter.allocate(1000, 8);
  {
    const counting_scope scope(counter);
    void* const a = counter.allocate(100, 8);
    void* const b = counter.allocate(50, 8);
    counter.deallocate(a, 100, 8);
    const auto counts = scope.counts();
    EXPECT_EQ(counts.allocations, 2u);
    EXPECT_EQ(counts.deallocations, 1u);
    EXPECT_EQ(counts.total_bytes, 150u);
    EXPECT_EQ(counts.peak_bytes, 150u);
    EXPECT_EQ(counts.peak_blocks, 2u);
    EXPECT_EQ(counts.kept_bytes, 50);
    EXPECT_EQ(counts.kept_blocks, 1);
    counter.deallocate(b, 50, 8);
    counter.deallocate(before, 1000, 8);
    EXPECT_EQ(scope.counts().kept_bytes, -1000);
    EXPECT_EQ(scope.counts().peak_bytes, 150u);
  }
  EXPECT_EQ(counter.counts().peak_bytes, 1150u);
}

TEST(counting_scope, peaks_of_scopes_that_are_nested_are_their_own) {
  counting_resource counter;
  const auto touch = [&](std::size_t bytes) {
    counter.deallocate(counter.allocate(bytes, 8), bytes, 8);
  };
  touch(500);
  const counting_scope outer(counter);
  touch(100);
  {
    const counting_scope inner(counter);
    touch(30);
    EXPECT_EQ(inner.counts().peak_bytes, 30u);
    EXPECT_EQ(counter.counts().peak_bytes, 500u);
  }
  EXPECT_EQ(outer.counts().peak_bytes, 100u);
  {
    const counting_scope inner(counter);
    touch(200);
  }
  EXPECT_EQ(outer.counts().peak_bytes, 200u);
  EXPECT_EQ(counter.counts().peak_bytes, 500u);
}

TEST(counting_scope, scopes_of_one_name_are_added_up_for_the_reports) {
  counting_resource counter("scopes");
  std::vector<void*> kept;
  for (const std::size_t bytes : {10u, 30u, 20u}) {
    const counting_scope scope(counter, "step");
    kept.push_back(counter.allocate(bytes, 8));
  }
  {
    const counting_scope other(counter, "other");
  }
  const auto scopes = report_on("scopes").scopes;
  ASSERT_EQ(scopes.size(), 2u);
  EXPECT_STREQ(scopes[0].name, "step");
  EXPECT_EQ(scopes[0].entries, 3u);
  EXPECT_EQ(scopes[0].allocations, 3u);
  EXPECT_EQ(scopes[0].total_bytes, 60u);
  EXPECT_EQ(scopes[0].peak_bytes, 30u);
  EXPECT_EQ(scopes[0].kept_bytes, 60);
  EXPECT_STREQ(scopes[1].name, "other");
  EXPECT_EQ(scopes[1].allocations, 0u);
  counter.deallocate(kept[0], 10, 8);
  counter.deallocate(kept[1], 30, 8);
  counter.deallocate(kept[2], 20, 8);
}

TEST(counting_report, is_a_table_for_people) {
  counting_resource first("first");
  counting_resource second("the second");
  void* const p = first.allocate(24, 8);
  {
    const counting_scope scope(second, "load");
  }
  EXPECT_EQ(mallard::counting_table(),
            "resource         in use  blocks  peak  blocks  in all  blocks  largest\n"
            "first                24       1    24       1      24       1       24\n"
            "  to 24 B                     1                             1         \n"
            "the second            0       0     0       0       0       0        0\n"
            "  scope load x1       0       0     0       0       0       0         \n");
  first.deallocate(p, 24, 8);
}

TEST(counting_report, a_name_that_is_no_utf_8_is_valid_json_all_the_same) {
  const counting_resource counter("caf\xc3\xa9 \xff \xe2\x82");
  EXPECT_EQ(mallard::counting_json().substr(0, 37),
            "[{\"name\":\"caf\xc3\xa9 \\ufffd \\ufffd\\ufffd\",");
}

TEST(counting_report, is_json) {
  counting_resource counter("a \"name\"\n");
  void* const p = counter.allocate(40000, 32);
  {
    const counting_scope scope(counter, "s");
  }
  EXPECT_EQ(mallard::counting_json(),
            "[{\"name\":\"a \\\"name\\\"\\u000a\",\"allocations\":1,\"deallocations\":0,"
            "\"in_use_blocks\":1,\"peak_blocks\":1,\"in_use_bytes\":40000,\"peak_bytes\":40000,"
            "\"total_bytes\":40000,\"largest_bytes\":40000,\"largest_alignment\":32,"
            "\"classes\":[{\"up_to_bytes\":null,\"allocations\":1,\"deallocations\":0}],"
            "\"scopes\":[{\"name\":\"s\",\"entries\":1,\"allocations\":0,\"deallocations\":0,"
            "\"total_bytes\":0,\"peak_bytes\":0,\"peak_blocks\":0,\"kept_bytes\":0,"
            "\"kept_blocks\":0}]}]");
  counter.deallocate(p, 40000, 32);
}

}  // namespace
