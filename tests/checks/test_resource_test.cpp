#include "mallard/checks/test_resource.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory_resource>
#include <string>
#include <vector>

#include "support/threads.hpp"

namespace {

using mallard::test_fault;
using mallard::test_report;
using mallard::test_resource;

// A test_resource whose reports are kept. Its blocks come from a monotonic resource, so that the
// leaks made here are no leaks of the test.
class recorded : public testing::Test {
 protected:
  std::pmr::monotonic_buffer_resource ground;
  std::vector<test_report> reports;
  test_resource memory{[this](const test_report& r) { reports.push_back(r); }, &ground};

  void* get(std::size_t bytes, std::size_t alignment = 8) {
    return memory.allocate(bytes, alignment);
  }
  void expect_one(test_fault fault) {
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_STREQ(to_string(reports[0].fault), to_string(fault));
  }
};

using test_resource_test = recorded;

TEST_F(test_resource_test, reports_nothing_when_everything_is_right) {
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void* const p = get(100, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
    memory.verify();
    memory.deallocate(p, 100, alignment);
  }
  EXPECT_TRUE(reports.empty());
}

TEST_F(test_resource_test, reports_a_byte_written_behind_a_block) {
  auto* const p = static_cast<char*>(get(10));
  p[10] = 'x';
  memory.verify();
  expect_one(test_fault::overrun);
  EXPECT_EQ(reports[0].block, p);
  EXPECT_EQ(reports[0].expected_bytes, 10u);
  memory.deallocate(p, 10, 8);
  EXPECT_EQ(reports.size(), 2u);  // again when it comes back
}

TEST_F(test_resource_test, reports_a_block_given_back_twice) {
  void* const p = get(10);
  memory.deallocate(p, 10, 8);
  memory.deallocate(p, 10, 8);
  expect_one(test_fault::double_free);
  EXPECT_EQ(memory.counts().deallocations, 1u);
}

TEST_F(test_resource_test, reports_another_size) {
  void* const p = get(10);
  memory.deallocate(p, 11, 8);
  expect_one(test_fault::wrong_size);
  EXPECT_EQ(reports[0].bytes, 11u);
  EXPECT_EQ(reports[0].expected_bytes, 10u);
  EXPECT_EQ(memory.counts().in_use_bytes, 0u);  // the block is gone all the same
}

TEST_F(test_resource_test, reports_another_alignment) {
  void* const p = get(10, 16);
  memory.deallocate(p, 10, 8);
  expect_one(test_fault::wrong_alignment);
  EXPECT_EQ(reports[0].alignment, 8u);
  EXPECT_EQ(reports[0].expected_alignment, 16u);
}

TEST(test_resource, reports_blocks_never_given_back_as_one_leak) {
  std::pmr::monotonic_buffer_resource ground;
  std::vector<test_report> reports;
  void* oldest = nullptr;
  {
    test_resource memory([&](const test_report& r) { reports.push_back(r); }, &ground);
    memory.deallocate(memory.allocate(1, 1), 1, 1);
    oldest = memory.allocate(10, 8);
    (void)memory.allocate(20, 8);
  }
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].fault, test_fault::leak);
  EXPECT_EQ(reports[0].block, oldest);
  EXPECT_EQ(reports[0].serial, 1u);
  EXPECT_EQ(reports[0].blocks, 2u);
  EXPECT_EQ(reports[0].bytes, 30u);
  EXPECT_EQ(reports[0].expected_bytes, 10u);
}

TEST_F(test_resource_test, reports_leaks_since_a_certain_allocation) {
  void* const before = get(10);
  const auto since = memory.counts().allocations;
  memory.report_leaks(since);
  EXPECT_TRUE(reports.empty());
  void* const after = get(20);
  memory.report_leaks(since);
  expect_one(test_fault::leak);
  EXPECT_EQ(reports[0].block, after);
  memory.deallocate(before, 10, 8);
  memory.deallocate(after, 20, 8);
}

TEST_F(test_resource_test, fails_the_chosen_call_once) {
  memory.fail_at(1);
  void* const first = get(1);
  EXPECT_THROW((void)get(2), mallard::test_exception);
  void* const third = get(3);
  EXPECT_EQ(memory.failures(), 1u);
  EXPECT_EQ(memory.counts().allocations, 2u);
  memory.deallocate(first, 1, 8);
  memory.deallocate(third, 3, 8);
}

TEST_F(test_resource_test, fails_from_the_chosen_call_on_until_told_otherwise) {
  memory.fail_after(1);
  void* const first = get(1);
  for (int i = 0; i < 3; ++i) EXPECT_THROW((void)get(2), mallard::test_exception);
  EXPECT_EQ(memory.failures(), 3u);
  memory.never_fail();
  EXPECT_EQ(memory.failures(), 0u);
  void* const second = get(1);
  memory.deallocate(first, 1, 8);
  memory.deallocate(second, 1, 8);
}

TEST_F(test_resource_test, fails_by_chance_as_the_seed_decides) {
  const auto failed_calls = [&](double probability, std::uint64_t seed) {
    memory.fail_by_chance(probability, seed);
    std::vector<int> failed;
    for (int i = 0; i < 1000; ++i) {
      try {
        memory.deallocate(get(1), 1, 8);
      } catch (const mallard::test_exception&) {
        failed.push_back(i);
      }
    }
    EXPECT_EQ(memory.failures(), failed.size());
    return failed;
  };
  const auto once = failed_calls(0.25, 42);
  EXPECT_GT(once.size(), 180u);
  EXPECT_LT(once.size(), 320u);
  EXPECT_EQ(failed_calls(0.25, 42), once);
  EXPECT_NE(failed_calls(0.25, 43), once);
  EXPECT_TRUE(failed_calls(0, 42).empty());
  EXPECT_EQ(failed_calls(1, 42).size(), 1000u);
  memory.never_fail();
}

TEST_F(test_resource_test, the_exception_names_the_request) {
  memory.fail_at(0);
  try {
    (void)get(123, 32);
    FAIL() << "nothing was thrown";
  } catch (const mallard::test_exception& e) {
    EXPECT_EQ(e.bytes(), 123u);
    EXPECT_EQ(e.alignment(), 32u);
    EXPECT_STREQ(e.what(), "mallard::test_exception");
  }
}

TEST_F(test_resource_test, sizes_that_overflow_with_the_pads_throw_and_change_nothing) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {most, most - 64, most - 128, most / 2, most / 2 - 64}) {
    EXPECT_THROW((void)get(bytes), std::bad_alloc);
  }
  EXPECT_EQ(memory.counts().allocations, 0u);
  EXPECT_TRUE(reports.empty());
}

TEST(test_resource, passes_on_what_upstream_throws_and_counts_nothing) {
  test_resource memory(std::pmr::null_memory_resource());
  EXPECT_THROW((void)memory.allocate(1, 1), std::bad_alloc);
  EXPECT_EQ(memory.counts().allocations, 0u);
  EXPECT_EQ(memory.failures(), 0u);
}

TEST_F(test_resource_test, blocks_are_filled_when_new_and_when_dead) {
  test_resource unkept({.quarantine_bytes = 0}, &ground);  // in quarantine they may be poisoned
  auto* const p = static_cast<unsigned char*>(unkept.allocate(100, 8));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p[i], 0xCD);
  unkept.deallocate(p, 100, 8);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p[i], 0xDD);  // the ground never reuses memory
}

TEST_F(test_resource_test, empty_blocks_are_distinct) {
  void* const a = get(0);
  void* const b = get(0);
  EXPECT_NE(a, b);
  memory.deallocate(a, 0, 8);
  memory.deallocate(b, 0, 8);
  EXPECT_TRUE(reports.empty());
}

TEST(test_resource, gives_upstream_back_what_it_got_from_it) {
  test_resource below;
  {
    test_resource above(&below);
    void* const p = above.allocate(100, 256);
    EXPECT_EQ(above.upstream_resource(), &below);
    above.deallocate(p, 100, 256);
  }  // a mismatch would abort
  EXPECT_EQ(below.counts().in_use_blocks, 0u);
  EXPECT_EQ(below.counts().deallocations, 1u);
}

TEST_F(test_resource_test, a_block_of_another_resource_is_told_from_a_stranger) {
  test_resource other({.name = "the other"});
  void* const p = other.allocate(40, 8);
  memory.deallocate(p, 40, 8);
  expect_one(test_fault::wrong_resource);
  EXPECT_STREQ(reports[0].other, "the other");
  EXPECT_EQ(reports[0].expected_bytes, 40u);
  other.deallocate(p, 40, 8);
}

TEST_F(test_resource_test, a_pointer_into_a_block_is_reported_with_the_block) {
  auto* const p = static_cast<char*>(get(10));
  memory.deallocate(p + 4, 6, 1);
  expect_one(test_fault::foreign_pointer);
  EXPECT_EQ(reports[0].inside, p);
  EXPECT_EQ(reports[0].serial, 0u);
  memory.deallocate(p, 10, 8);
}

TEST(test_resource, the_quarantine_goes_back_when_upstream_has_no_more) {
  std::pmr::unsynchronized_pool_resource reuses;
  test_resource below(&reuses);
  test_resource memory(&below);
  memory.deallocate(memory.allocate(100, 8), 100, 8);
  EXPECT_EQ(below.counts().in_use_blocks, 1u);
  below.fail_at(0);
  memory.deallocate(memory.allocate(50, 8), 50, 8);
  EXPECT_EQ(below.failures(), 1u);
  EXPECT_EQ(below.counts().in_use_blocks, 1u);  // the second one
}

TEST(test_resource, forgets_blocks_that_upstream_takes_back_by_itself) {
  std::vector<test_report> reports;
  std::pmr::monotonic_buffer_resource arena;
  test_resource memory([&](const test_report& r) { reports.push_back(r); }, &arena);
  void* const kept = memory.allocate(10, 8);
  const auto since = memory.counts().allocations;
  auto* p = static_cast<char*>(memory.allocate(20, 8));
  asm volatile("" : "+r"(p));  // the compiler must not know its size
  p[20] = 'x';
  memory.forget(since);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].fault, test_fault::overrun);
  EXPECT_EQ(memory.counts().in_use_blocks, 1u);
  EXPECT_EQ(memory.block_of(p).block, nullptr);
  EXPECT_EQ(memory.block_of(static_cast<char*>(kept) + 9).block, kept);
  memory.deallocate(kept, 10, 8);
  EXPECT_EQ(reports.size(), 1u);
}

// musl's C library does not find call stacks.
#if __has_include(<execinfo.h>)
constexpr bool has_call_stacks = true;
#else
constexpr bool has_call_stacks = false;
#endif

TEST_F(test_resource_test, leaks_are_grouped_by_where_they_came_from) {
  if (!has_call_stacks) GTEST_SKIP();
  std::vector<std::size_t> groups;
  test_resource grouped(
      [&](const test_report& r) {
        for (std::size_t i = 0; i < r.group_count; ++i) groups.push_back(r.groups[i].bytes);
      },
      &ground);
  for (int i = 0; i < 3; ++i) (void)grouped.allocate(10, 8);
  (void)grouped.allocate(100, 8);
  grouped.report_leaks();
  EXPECT_EQ(groups, (std::vector<std::size_t>{100, 30}));
  grouped.forget();
}

TEST(test_resource, equals_itself_only) {
  test_resource a;
  test_resource b;
  EXPECT_TRUE(a.is_equal(a));
  EXPECT_FALSE(a.is_equal(b));
}

TEST(test_resource, serves_many_threads) {
  test_resource memory;
  mallard_test::in_threads(4, [&memory] {
    std::vector<void*> mine;
    for (std::size_t i = 0; i < 500; ++i) {
      mine.push_back(memory.allocate(i, 8));
      if (i % 100 == 0) (void)memory.counts();
    }
    for (std::size_t i = 0; i < 500; ++i) memory.deallocate(mine[i], i, 8);
  });
  EXPECT_EQ(memory.counts().allocations, 2000u);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(test_resource_death, without_a_handler_prints_one_line_and_aborts) {
  EXPECT_DEATH(
      {
        test_resource memory;
        memory.deallocate(memory.allocate(10, 8), 12, 8);
      },
      "mallard::test_resource: wrong_size: block 0x[0-9a-f]+, 12 bytes at alignment 8, "
      "given by allocation 0 with 10 at 8\n");
}

// The places that a report's stacks lead to.
std::string text_of(const test_report& report) {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const to = open_memstream(&text, &bytes);
  print(report, to);
  std::fclose(to);
  std::string out(text, bytes);
  std::free(text);
  return out;
}

struct shop {
  [[gnu::noinline]] static void* open(test_resource& from) {
    void* const p = from.allocate(10, 8);
    asm volatile("" : : "r"(p) : "memory");
    return p;
  }
  [[gnu::noinline]] static void close(test_resource& to, void* p) {
    to.deallocate(p, 11, 8);
    asm volatile("" : : : "memory");
  }
};

TEST(test_resource, the_report_names_functions_and_lines) {
  if (!has_call_stacks) GTEST_SKIP();
  std::string text;
  test_resource memory({.name = "till"}, [&](const test_report& r) { text += text_of(r); });
  shop::close(memory, shop::open(memory));
  EXPECT_NE(text.find("mallard::test_resource \"till\": wrong_size: block"), std::string::npos);
  const auto at = [&](const char* what) { return text.find(what); };
  EXPECT_LT(at(" found:\n"), at("::shop::close(")) << text;
  EXPECT_LT(at("::shop::close("), at(" given:\n")) << text;
  EXPECT_LT(at(" given:\n"), at("::shop::open(")) << text;
  EXPECT_LT(at("::shop::open("), std::string::npos) << text;
#ifdef MALLARD_TEST_HAS_LINES
  EXPECT_NE(at("test_resource_test.cpp:"), std::string::npos) << text;
#endif
}

TEST(test_resource_death, a_leak_aborts_too) {
  EXPECT_DEATH(
      {
        test_resource memory;
        (void)memory.allocate(10, 8);
      },
      "mallard::test_resource: leak: ");
}

}  // namespace
