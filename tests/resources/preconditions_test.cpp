// Broken preconditions end a debug build at once, and misuse of memory ends a build with
// AddressSanitizer: at the place of the mistake, not some time later.
#include <gtest/gtest.h>

#include <cstddef>

#include "mallard/detail/core/annotate.hpp"
#include "mallard/mallard.hpp"

namespace {

using mallard::adaptive_pool_resource;
using mallard::buffered_resource;
using mallard::monotonic_resource;
using mallard::multipool_resource;
using mallard::reserved_resource;

template <class Resource>
class every_resource : public testing::Test {};
using resources = testing::Types<monotonic_resource, buffered_resource<1024>, reserved_resource,
                                 multipool_resource, adaptive_pool_resource>;
TYPED_TEST_SUITE(every_resource, resources);

template <class Resource>
class every_pool : public testing::Test {};
using pools = testing::Types<multipool_resource, adaptive_pool_resource>;
TYPED_TEST_SUITE(every_pool, pools);

#ifndef NDEBUG

TYPED_TEST(every_resource, asserts_that_alignments_are_powers_of_two) {
  EXPECT_DEATH(
      {
        TypeParam resource;
        (void)resource.allocate(8, 24);
      },
      "has_single_bit");
}

TYPED_TEST(every_pool, asserts_that_a_block_is_given_back_once) {
  EXPECT_DEATH(
      {
        TypeParam pool;
        void* const p = pool.allocate(24, 8);
        pool.deallocate(pool.allocate(24, 8), 24, 8);
        pool.deallocate(p, 24, 8);
        pool.deallocate(p, 24, 8);
      },
      "given back twice");
}

// The last block given back may be kept apart, and must be recognised all the same.
TYPED_TEST(every_pool, asserts_it_for_the_block_given_back_last_too) {
  EXPECT_DEATH(
      {
        TypeParam pool;
        void* const p = pool.allocate(24, 8);
        pool.deallocate(p, 24, 8);
        pool.deallocate(p, 24, 8);
      },
      "given back twice");
}

#endif

#ifdef MALLARD_ASAN

volatile char* bytes_of(void* p) {
  return static_cast<volatile char*>(p);
}

TYPED_TEST(every_resource, use_after_release_is_reported) {
  TypeParam resource;
  volatile char* const p = bytes_of(resource.allocate(100, 8));
  p[0] = 'x';
  resource.release();
  EXPECT_DEATH(p[0] = 'x', "AddressSanitizer|SEGV");
}

TYPED_TEST(every_resource, a_byte_behind_an_odd_block_is_reported) {
  TypeParam resource;
  volatile char* const p = bytes_of(resource.allocate(21, 8));
  p[20] = 'x';
  EXPECT_DEATH(p[21] = 'x', "use-after-poison");
}

TYPED_TEST(every_pool, use_after_deallocate_is_reported) {
  TypeParam pool;
  volatile char* const p = bytes_of(pool.allocate(24, 8));
  (void)pool.allocate(24, 8);
  pool.deallocate(const_cast<char*>(p), 24, 8);
  EXPECT_DEATH(p[0] = 'x', "use-after-poison");
}

template <class Resource>
class every_bump_resource : public testing::Test {};
using bump_resources =
    testing::Types<monotonic_resource, buffered_resource<1024>, reserved_resource>;
TYPED_TEST_SUITE(every_bump_resource, bump_resources);

TYPED_TEST(every_bump_resource, use_after_rewind_is_reported) {
  TypeParam resource;
  (void)resource.allocate(8, 8);
  const auto mark = resource.mark();
  volatile char* const p = bytes_of(resource.allocate(100, 8));
  p[0] = 'x';
  resource.rewind(mark);
  EXPECT_DEATH(p[0] = 'x', "use-after-poison");
}

TYPED_TEST(every_bump_resource, use_of_the_end_given_back_by_shrink_is_reported) {
  TypeParam resource;
  volatile char* const p = bytes_of(resource.allocate(100, 8));
  resource.shrink(const_cast<char*>(p), 100, 40);
  p[39] = 'x';
  EXPECT_DEATH(p[40] = 'x', "use-after-poison");
}

#endif

}  // namespace
