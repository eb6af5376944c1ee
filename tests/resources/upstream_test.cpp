// Every resource takes the one that it has its memory from in the same ways.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory_resource>
#include <type_traits>

#include "mallard/adaptive_pool.hpp"
#include "mallard/buffered.hpp"
#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/synchronized_counting_resource.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/resource_ref.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace {

template <class R>
class upstream : public testing::Test {};
using resources =
    testing::Types<mallard::monotonic_resource, mallard::buffered_resource<64>,
                   mallard::multipool_resource, mallard::synchronized_multipool_resource,
                   mallard::heap_resource, mallard::synchronized_heap_resource,
                   mallard::adaptive_pool_resource, mallard::counting_resource,
                   mallard::synchronized_counting_resource, mallard::test_resource>;
TYPED_TEST_SUITE(upstream, resources, );

TYPED_TEST(upstream, is_taken_by_pointer_and_by_reference) {
  std::pmr::unsynchronized_pool_resource from;
  std::pmr::memory_resource& base = from;
  mallard::resource_ref ref = from;
  EXPECT_EQ(TypeParam(&from).upstream_resource(), &from);
  EXPECT_EQ(TypeParam(from).upstream_resource(), &from);
  EXPECT_EQ(TypeParam(&base).upstream_resource(), &from);
  EXPECT_EQ(TypeParam(base).upstream_resource(), &from);
  EXPECT_EQ(TypeParam(ref).upstream_resource(), &from);
}

TYPED_TEST(upstream, stays_with_its_resource) {
  static_assert(!std::is_copy_constructible_v<TypeParam>);
  static_assert(!std::is_move_constructible_v<TypeParam>);
  static_assert(!std::is_copy_assignable_v<TypeParam>);
  static_assert(!std::is_move_assignable_v<TypeParam>);
}

TYPED_TEST(upstream, is_never_null_nor_a_temporary) {
  static_assert(!std::is_constructible_v<TypeParam, std::nullptr_t>);
  static_assert(!std::is_constructible_v<TypeParam, std::pmr::unsynchronized_pool_resource&&>);
  static_assert(!std::is_constructible_v<TypeParam, const std::pmr::memory_resource&>);
  static_assert(!std::is_convertible_v<std::pmr::memory_resource*, TypeParam>);
  static_assert(!std::is_convertible_v<std::pmr::memory_resource&, TypeParam>);
}

template <class R>
class upstream_of_pools : public testing::Test {};
using pools = testing::Types<mallard::multipool_resource, mallard::synchronized_multipool_resource,
                             mallard::heap_resource, mallard::synchronized_heap_resource,
                             mallard::adaptive_pool_resource>;
TYPED_TEST_SUITE(upstream_of_pools, pools, );

TYPED_TEST(upstream_of_pools, that_takes_nothing_back_gets_nothing_back) {
  constexpr std::size_t all = ~std::size_t{0};
  mallard::monotonic_resource arena;
  mallard::buffered_resource<64> buffered;
  std::pmr::monotonic_buffer_resource of_std;
  EXPECT_EQ(TypeParam(arena).options().empty_slabs_kept, all);
  EXPECT_EQ(TypeParam(&arena).options().empty_slabs_kept, all);
  EXPECT_EQ(TypeParam({}, buffered).options().empty_slabs_kept, all);
  EXPECT_EQ(TypeParam(&of_std).options().empty_slabs_kept, all);
  // A resource known by its base may take back.
  std::pmr::memory_resource& base = arena;
  EXPECT_EQ(TypeParam(base).options().empty_slabs_kept, 3U);
  EXPECT_EQ(TypeParam(&base).options().empty_slabs_kept, 3U);
}

TEST(upstream_of_multipools, goes_with_options_of_std) {
  mallard::monotonic_resource arena;
  const std::pmr::pool_options options{64, 1024};
  mallard::multipool_resource by_list({64, 1024}, &arena);
  mallard::multipool_resource by_options(options, arena);
  mallard::synchronized_multipool_resource synchronized({64, 1024}, arena);
  EXPECT_EQ(by_list.upstream_resource(), &arena);
  EXPECT_EQ(by_options.upstream_resource(), &arena);
  EXPECT_EQ(synchronized.upstream_resource(), &arena);
}

}  // namespace
