// The cases of libstdc++'s tests of <memory_resource> (20_util/monotonic_buffer_resource,
// unsynchronized_pool_resource, synchronized_pool_resource), of mallard::pmr. Left out is what
// docs/choosing.md says differs.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/pmr.hpp"
#include "support/addresses.hpp"
#include "support/threads.hpp"

namespace {

using mallard::test_resource;
using mallard::pmr::monotonic_buffer_resource;
using mallard::pmr::synchronized_pool_resource;
using mallard::pmr::unsynchronized_pool_resource;

// As long as it lives, the default is another.
struct default_resource {
  explicit default_resource(mallard::pmr::memory_resource& now)
      : before(mallard::pmr::set_default_resource(&now)) {}
  default_resource(const default_resource&) = delete;
  default_resource& operator=(const default_resource&) = delete;
  ~default_resource() { mallard::pmr::set_default_resource(before); }
  mallard::pmr::memory_resource* before;
};

using mallard_test::is_aligned;

TEST(libstdcxx_monotonic, constructors) {
  unsigned char buffer[32];
  test_resource r, by_default;
  const default_resource now(by_default);
  monotonic_buffer_resource with_nothing;
  EXPECT_EQ(with_nothing.upstream_resource(), &by_default);
  monotonic_buffer_resource with_upstream(&r);
  EXPECT_EQ(with_upstream.upstream_resource(), &r);
  monotonic_buffer_resource with_size(16);
  EXPECT_EQ(with_size.upstream_resource(), &by_default);
  monotonic_buffer_resource with_size_and_upstream(16, &r);
  EXPECT_EQ(with_size_and_upstream.upstream_resource(), &r);
  monotonic_buffer_resource with_buffer(buffer, sizeof buffer);
  EXPECT_EQ(with_buffer.upstream_resource(), &by_default);
  monotonic_buffer_resource by_list = {buffer, sizeof buffer, &r};
  EXPECT_EQ(by_list.upstream_resource(), &r);
  monotonic_buffer_resource with_buffer_and_upstream(buffer, sizeof buffer, &r);
  EXPECT_EQ(with_buffer_and_upstream.upstream_resource(), &r);
  static_assert(!std::is_copy_constructible_v<monotonic_buffer_resource>);
  static_assert(!std::is_move_constructible_v<monotonic_buffer_resource>);
  static_assert(!std::is_copy_assignable_v<monotonic_buffer_resource>);
  static_assert(!std::is_move_assignable_v<monotonic_buffer_resource>);
  static_assert(std::is_destructible_v<monotonic_buffer_resource>);
  static_assert(!std::is_convertible_v<std::pmr::memory_resource*, monotonic_buffer_resource>);
  static_assert(!std::is_convertible_v<std::size_t, monotonic_buffer_resource>);
  EXPECT_EQ(r.counts().allocations, 0u);
}

TEST(libstdcxx_monotonic, allocate) {
  test_resource r;
  {
    monotonic_buffer_resource mbr(&r);
    EXPECT_EQ(r.counts().allocations, 0u);
    void* p = mbr.allocate(1);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(r.counts().allocations, 1u);
    p = mbr.allocate(1);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(r.counts().allocations, 1u);
  }
  EXPECT_EQ(r.counts().in_use_blocks, 0u);
}

TEST(libstdcxx_monotonic, allocate_alignment) {
  test_resource r;
  monotonic_buffer_resource mbr(&r);
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    EXPECT_TRUE(is_aligned(mbr.allocate(2, alignment), alignment)) << alignment;
  }
}

TEST(libstdcxx_monotonic, each_new_buffer_is_larger_than_the_one_before) {
  test_resource r;
  monotonic_buffer_resource mbr(32, &r);
  std::size_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t calls = r.counts().allocations;
    const std::size_t held = r.counts().in_use_bytes;
    while (r.counts().allocations == calls) (void)mbr.allocate(16);
    const std::size_t bytes = r.counts().in_use_bytes - held;
    EXPECT_GT(bytes, last);
    last = bytes;
  }
}

TEST(libstdcxx_monotonic, the_first_buffer_has_at_least_the_initial_size) {
  test_resource r;
  monotonic_buffer_resource mbr(500, &r);
  (void)mbr.allocate(1, 1);
  EXPECT_GE(r.counts().largest_bytes, 500u);
}

TEST(libstdcxx_monotonic, the_callers_buffer_is_used_first_and_upstream_then) {
  alignas(std::max_align_t) unsigned char buffer[64];
  test_resource r;
  monotonic_buffer_resource mbr(buffer, sizeof buffer, &r);
  void* const first = mbr.allocate(32);
  EXPECT_GE(first, static_cast<void*>(buffer));
  EXPECT_LT(first, static_cast<void*>(buffer + sizeof buffer));
  EXPECT_EQ(r.counts().allocations, 0u);
  (void)mbr.allocate(64);
  EXPECT_EQ(r.counts().allocations, 1u);
}

TEST(libstdcxx_monotonic, deallocate_does_nothing) {
  test_resource r;
  monotonic_buffer_resource mbr(&r);
  void* const p = mbr.allocate(1, 1);
  mbr.deallocate(p, 1, 1);
  EXPECT_EQ(r.counts().deallocations, 0u);
}

TEST(libstdcxx_monotonic, is_equal) {
  test_resource r;
  const monotonic_buffer_resource a(&r), b(&r);
  EXPECT_TRUE(a == a);
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(a.is_equal(a));
  EXPECT_FALSE(a.is_equal(b));
}

TEST(libstdcxx_monotonic, release_gives_everything_back_and_starts_with_the_buffer_again) {
  alignas(std::max_align_t) unsigned char buffer[64];
  test_resource r;
  monotonic_buffer_resource mbr(buffer, sizeof buffer, &r);
  void* const first = mbr.allocate(8, 8);
  (void)mbr.allocate(1000);
  EXPECT_EQ(r.counts().in_use_blocks, 1u);
  mbr.release();
  EXPECT_EQ(r.counts().in_use_blocks, 0u);
  EXPECT_EQ(mbr.allocate(8, 8), first);
  EXPECT_EQ(mbr.upstream_resource(), &r);
}

template <class Pool>
class libstdcxx_pool : public testing::Test {};
using pools = testing::Types<unsynchronized_pool_resource, synchronized_pool_resource>;
TYPED_TEST_SUITE(libstdcxx_pool, pools, );

TYPED_TEST(libstdcxx_pool, constructors) {
  test_resource r, by_default;
  const default_resource now(by_default);
  const mallard::pmr::pool_options options{.max_blocks_per_chunk = 32,
                                           .largest_required_pool_block = 512};
  TypeParam with_nothing;
  EXPECT_EQ(with_nothing.upstream_resource(), &by_default);
  TypeParam with_upstream(&r);
  EXPECT_EQ(with_upstream.upstream_resource(), &r);
  TypeParam with_options(options);
  EXPECT_EQ(with_options.upstream_resource(), &by_default);
  TypeParam with_both(options, &r);
  EXPECT_EQ(with_both.upstream_resource(), &r);
  TypeParam with_list({64, 1024}, &r);
  EXPECT_EQ(with_list.upstream_resource(), &r);
  TypeParam by_list = {options, &r};
  EXPECT_EQ(by_list.upstream_resource(), &r);
  static_assert(!std::is_copy_constructible_v<TypeParam>);
  static_assert(!std::is_copy_assignable_v<TypeParam>);
  static_assert(!std::is_convertible_v<std::pmr::memory_resource*, TypeParam>);
  EXPECT_EQ(r.counts().allocations, 0u);
}

// Its users derive from a pool, and take its constructors over.
TYPED_TEST(libstdcxx_pool, derived) {
  struct derived : TypeParam {
    using TypeParam::TypeParam;
  };
  test_resource r, by_default;
  const default_resource now(by_default);
  const mallard::pmr::pool_options options{1, 2};
  derived p1 = {options, &r};
  EXPECT_EQ(p1.upstream_resource(), &r);
  derived p2;
  EXPECT_EQ(p2.upstream_resource(), &by_default);
  derived p3{&r};
  EXPECT_EQ(p3.upstream_resource(), &r);
  derived p4{options};
  EXPECT_EQ(p4.upstream_resource(), &by_default);
  static_assert(!std::is_copy_constructible_v<derived>);
  static_assert(!std::is_copy_assignable_v<derived>);
}

TYPED_TEST(libstdcxx_pool, options) {
  const TypeParam r0;
  const auto options = r0.options();
  EXPECT_NE(options.max_blocks_per_chunk, 0u);
  EXPECT_NE(options.largest_required_pool_block, 0u);
  for (const mallard::pmr::pool_options& given : {options, mallard::pmr::pool_options{0, 0}}) {
    const TypeParam r1(given);
    EXPECT_EQ(r1.options().max_blocks_per_chunk, options.max_blocks_per_chunk);
    EXPECT_EQ(r1.options().largest_required_pool_block, options.largest_required_pool_block);
  }
}

TYPED_TEST(libstdcxx_pool, allocate) {
  test_resource r;
  {
    TypeParam p(&r);
    void* const p1 = p.allocate(1, 1);
    ASSERT_NE(p1, nullptr);
    const std::uint64_t calls = r.counts().allocations;
    EXPECT_GT(calls, 0u);
    void* const p2 = p.allocate(1, 1);
    EXPECT_NE(p1, p2);
    p.deallocate(p1, 1, 1);
    EXPECT_EQ(p.allocate(1, 1), p1);
    EXPECT_EQ(r.counts().allocations, calls);
  }
  EXPECT_EQ(r.counts().in_use_blocks, 0u);
}

TYPED_TEST(libstdcxx_pool, blocks_of_all_sizes_and_alignments_are_aligned) {
  TypeParam p;
  for (std::size_t bytes = 0; bytes < 5000; bytes += 7) {
    for (std::size_t alignment = 1; alignment <= 1024; alignment *= 4) {
      void* const block = p.allocate(bytes, alignment);
      EXPECT_TRUE(is_aligned(block, alignment));
      p.deallocate(block, bytes, alignment);
    }
  }
}

TYPED_TEST(libstdcxx_pool, what_is_larger_than_any_pool_comes_from_upstream_and_goes_back) {
  test_resource r;
  TypeParam p(&r);
  const std::size_t large = p.options().largest_required_pool_block + 1;
  void* const block = p.allocate(large, 8);
  EXPECT_GE(r.counts().in_use_bytes, large);
  p.deallocate(block, large, 8);
  EXPECT_LT(r.counts().in_use_bytes, large);
}

TYPED_TEST(libstdcxx_pool, release_gives_everything_back) {
  test_resource r;
  TypeParam p(&r);
  for (std::size_t bytes : {1u, 10u, 100u, 1000u, 10'000u, 100'000u}) (void)p.allocate(bytes);
  p.release();
  EXPECT_EQ(r.counts().in_use_blocks, 0u);
  p.release();
  ASSERT_NE(p.allocate(1), nullptr);
}

TYPED_TEST(libstdcxx_pool, is_equal) {
  const TypeParam a, b;
  EXPECT_TRUE(a == a);
  EXPECT_FALSE(a == b);
}

TYPED_TEST(libstdcxx_pool, an_upstream_that_throws_leaves_the_pool_usable) {
  test_resource r;
  TypeParam p(&r);
  for (int nth = 0; nth < 4; ++nth) {
    r.fail_at(static_cast<std::uint64_t>(nth));
    for (std::size_t bytes : {24u, 300u, 40'000u}) {
      try {
        p.deallocate(p.allocate(bytes), bytes);
      } catch (const mallard::test_exception&) {
      }
    }
  }
  r.never_fail();
  ASSERT_NE(p.allocate(24), nullptr);
}

// In std, verbs of the classes themselves call what a derived class overrides, too.
template <class Resource>
struct traced : Resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++calls;
    return Resource::do_allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    ++calls;
    Resource::do_deallocate(p, bytes, alignment);
  }
  int calls = 0;
};

template <class Resource>
int calls_of_a_pair() {
  traced<Resource> one;
  one.deallocate(one.allocate(24), 24);
  return one.calls;
}

TEST(libstdcxx_derived, overrides_are_called) {
  EXPECT_EQ(calls_of_a_pair<std::pmr::unsynchronized_pool_resource>(), 2);
  EXPECT_EQ(calls_of_a_pair<unsynchronized_pool_resource>(), 2);
  EXPECT_EQ(calls_of_a_pair<synchronized_pool_resource>(), 2);
  EXPECT_EQ(calls_of_a_pair<monotonic_buffer_resource>(), 2);
}

TEST(libstdcxx_synchronized_pool, allocate_from_many_threads) {
  synchronized_pool_resource p;
  mallard_test::in_threads(4, [&] {
    std::vector<void*> blocks;
    for (int i = 0; i < 2000; ++i) blocks.push_back(p.allocate(40, 8));
    for (void* const block : blocks) p.deallocate(block, 40, 8);
  });
  EXPECT_EQ(p.stats().in_use_bytes, 0u);
}

}  // namespace
