// Calls that a heap, or an arena, has beyond allocate and deallocate, under checks.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "mallard/checks/checked.hpp"
#include "mallard/heap.hpp"
#include "mallard/mark_scope.hpp"
#include "mallard/memory/mapped.hpp"
#include "mallard/memory/static.hpp"
#include "mallard/monotonic.hpp"

namespace {

using mallard::block_chain;
using mallard::checked;
using mallard::test_fault;
using mallard::test_report;

using checked_heap = checked<mallard::heap_resource>;

class checked_heap_test : public testing::Test {
 protected:
  mallard::check_with noted(std::size_t quarantine_bytes = 64 * 1024) {
    return {.options = {.quarantine_bytes = quarantine_bytes},
            .on_fault = [this](const test_report& r) { found.push_back(r); }};
  }
  // One fault, of a block whose size was asked for as so many bytes.
  void expect_one(test_fault fault, std::size_t expected_bytes) {
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].fault, fault);
    EXPECT_EQ(found[0].expected_bytes, expected_bytes);
    found.clear();
  }
  std::vector<test_report> found;
};

TEST_F(checked_heap_test, blocks_of_a_burst_smaller_than_a_link_have_the_size_asked_for) {
  checked_heap heap(noted());
  block_chain chain = heap.allocate_many(1, 4, 4);
  heap.deallocate_many(chain, 2, 4);
  expect_one(test_fault::wrong_size, 4);
  chain = heap.allocate_many(1, 4, 4);
  heap.deallocate(chain.front(), 8, 4);
  expect_one(test_fault::wrong_size, 4);
  EXPECT_EQ(heap.checks().counts().in_use_bytes, 0u);
}

TEST_F(checked_heap_test, a_wrong_size_in_a_burst_is_not_laid_to_the_next_block_there) {
  checked_heap heap(noted(0));
  block_chain chain = heap.allocate_many(1, 4, 4);
  heap.deallocate(chain.pop_front(), 8, 4);
  expect_one(test_fault::wrong_size, 4);
  for (int i = 0; i < 50; ++i) {
    void* const p = heap.allocate(5, 4);
    heap.deallocate(p, 5, 4);
  }
  EXPECT_TRUE(found.empty());
}

TEST_F(checked_heap_test, reports_of_small_blocks_of_bursts_say_what_was_asked_for) {
  {
    checked_heap heap(noted());
    checked_heap other(noted());
    block_chain chain = heap.allocate_many(2, 3, 1);
    other.deallocate(chain.front(), 3, 1);
    expect_one(test_fault::wrong_resource, 3);
    EXPECT_EQ(heap.checks().counts().in_use_bytes, 6u);
    EXPECT_EQ(heap.checks().block_of(static_cast<char*>(chain.front()) + 5).bytes, 3u);
  }
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].fault, test_fault::leak);
  EXPECT_EQ(found[0].bytes, 6u);
}

TEST_F(checked_heap_test, what_is_written_behind_a_link_is_an_overrun) {
  checked_heap heap(noted());
  block_chain chain = heap.allocate_many(1, 4, 4);
  auto* p = static_cast<char*>(chain.pop_front());
  asm volatile("" : "+r"(p));
  p[8] = 'x';
  heap.deallocate(p, 4, 4);
  expect_one(test_fault::overrun, 4);
}

TEST_F(checked_heap_test, no_block_and_what_is_none_are_reported) {
  checked_heap heap(noted());
  heap.deallocate_expandable(nullptr);
  expect_one(test_fault::foreign_pointer, 0);
  heap.deallocate(nullptr, 0);
  expect_one(test_fault::foreign_pointer, 0);
  char elsewhere[16];
  EXPECT_EQ(heap.shrinkable_to(elsewhere, 16, 8), 0u);
  expect_one(test_fault::foreign_pointer, 0);
  void* const p = heap.allocate_expandable(100, 100).p;
  EXPECT_EQ(heap.shrinkable_to(p, 99, 100), 0u);
  expect_one(test_fault::wrong_size, 100);
  EXPECT_EQ(heap.shrinkable_to(p, 100, 100), 100u);
  heap.deallocate_expandable(p);
  EXPECT_TRUE(found.empty());
}

TEST_F(checked_heap_test, a_mark_scope_takes_an_arena_like_the_unchecked_one) {
  checked<mallard::monotonic_resource> arena(noted());
  (void)arena.allocate(10, 8);
  {
    mallard::mark_scope scope(arena);
    auto* p = static_cast<char*>(arena.allocate(10, 8));
    asm volatile("" : "+r"(p));
    p[10] = 'x';
  }
  expect_one(test_fault::overrun, 10);
  EXPECT_EQ(arena.checks().counts().in_use_blocks, 1u);
}

TEST_F(checked_heap_test, blocks_of_an_arena_neither_grow_nor_shrink_but_may_be_asked_to) {
  checked<mallard::monotonic_resource> arena(noted());
  void* const p = arena.allocate(10, 8);
  EXPECT_EQ(arena.try_expand(p, 10, 20, 40), 0u);
  EXPECT_EQ(arena.try_expand(p, 10, 10), 10u);
  EXPECT_EQ(arena.shrink(p, 10, 5), 0u);
  EXPECT_EQ(arena.shrink(p, 10, 10), 10u);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(arena.shrink(p, 11, 11), 0u);
  expect_one(test_fault::wrong_size, 10);
}

// As the containers of expandable_allocator are.
TEST_F(checked_heap_test, who_does_not_know_a_blocks_size_may_ask_it_to_grow) {
  checked_heap heap(noted());
  void* const p = heap.allocate(10, 8);
  EXPECT_EQ(heap.try_expand(p, 0, 20, 40), 0u);
  EXPECT_EQ(heap.try_expand(p, 0, 10), 10u);
  EXPECT_EQ(heap.try_expand_backward(p, 0, 20, 40, 1).p, nullptr);
  EXPECT_EQ(heap.shrink(p, 0, 5), 0u);
  EXPECT_EQ(heap.shrinkable_to(p, 0, 10), 10u);
  heap.deallocate(p, 10, 8);
  EXPECT_TRUE(found.empty());
}

TEST_F(checked_heap_test, has_the_other_verbs_of_its_resource) {
  checked<mallard::mapped_resource> mapped(noted());
  mapped.trim();
  static_assert(std::is_void_v<decltype(mapped.trim())>);
  checked_heap heap(noted(), mallard::heap_options{});
  EXPECT_EQ(heap.options().empty_slabs_kept, heap.resource().options().empty_slabs_kept);
  EXPECT_EQ(checked_heap::largest_pooled_bytes, mallard::heap_resource::largest_pooled_bytes);
  alignas(16) std::byte bytes[4096];
  checked<mallard::static_resource> fixed(noted(), bytes, sizeof bytes);
  EXPECT_EQ(fixed.free_bytes(), fixed.resource().free_bytes());
}

}  // namespace
