// try_allocate that finds no room makes no exception, so nothing is formatted, and calls neither
// malloc nor operator new: the linker puts the test's functions between.
#include <gtest/gtest.h>

#include <cstddef>

#include "mallard/fallback.hpp"
#include "mallard/memory/huge.hpp"
#include "mallard/memory/mapped.hpp"
#include "mallard/memory/numa.hpp"
#include "mallard/memory/protected.hpp"
#include "mallard/memory/shared.hpp"
#include "mallard/memory/static.hpp"

namespace {

int exceptions = 0;
int allocations = 0;

}  // namespace

extern "C" {
void* __real___cxa_allocate_exception(std::size_t bytes) noexcept;
void* __wrap___cxa_allocate_exception(std::size_t bytes) noexcept {
  ++exceptions;
  return __real___cxa_allocate_exception(bytes);
}
void* __real_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes) {
  ++allocations;
  return __real_malloc(bytes);
}
void* __real__Znwm(std::size_t bytes);
void* __wrap__Znwm(std::size_t bytes) {
  ++allocations;
  return __real__Znwm(bytes);
}
}

namespace {

constexpr std::size_t limit_bytes = std::size_t{1} << 20;
constexpr std::size_t bad_alignment = 24;

// Not within the tests' own assertions, which allocate.
template <class Resource>
void expect_quiet_failure(Resource& resource, std::size_t bytes = 2 * limit_bytes,
                          std::size_t alignment = alignof(std::max_align_t)) {
  exceptions = allocations = 0;
  const bool got = resource.try_allocate(bytes, alignment) != nullptr;
  const int made[] = {exceptions, allocations};
  EXPECT_FALSE(got);
  for (const int count : made) EXPECT_EQ(count, 0);
}

template <class Resource>
void expect_all_failures_quiet(Resource& resource) {
  expect_quiet_failure(resource);
  expect_quiet_failure(resource, ~std::size_t{0});
  expect_quiet_failure(resource, 16, bad_alignment);
}

alignas(16) std::byte bytes[1024];

TEST(quiet_failure, a_throwing_allocate_is_counted) {
  mallard::static_resource resource(bytes, sizeof bytes);
  exceptions = 0;
  EXPECT_THROW((void)resource.allocate(2048), mallard::memory_error);
  EXPECT_EQ(exceptions, 1);
}

TEST(quiet_failure, static_resource) {
  mallard::static_resource resource(bytes, sizeof bytes);
  expect_all_failures_quiet(resource);
  EXPECT_NE(resource.try_allocate(sizeof bytes), nullptr);
  expect_quiet_failure(resource, 1);
}

TEST(quiet_failure, kinds_of_ranges) {
  mallard::mapped_resource mapped({.limit_bytes = limit_bytes});
  expect_all_failures_quiet(mapped);
  mallard::huge_resource huge({.limit_bytes = limit_bytes,
                               .wanted = mallard::page_kind::small,
                               .accepted = mallard::page_kind::small});
  expect_quiet_failure(huge, 2 * huge.stats().limit_bytes);
  mallard::protected_resource locked({.limit_bytes = limit_bytes});
  expect_all_failures_quiet(locked);
  locked.set_access(mallard::page_access::read_only);
  expect_quiet_failure(locked, 16);
  locked.set_access(mallard::page_access::writable);
  if (mallard::numa_resource::allowed_nodes() == 0) return;
  mallard::numa_resource numa({.limit_bytes = limit_bytes});
  expect_all_failures_quiet(numa);
}

TEST(quiet_failure, shared_resource) {
  mallard::shared_resource shared({.limit_bytes = 16 * limit_bytes});
  expect_quiet_failure(shared, 32 * limit_bytes);
  expect_quiet_failure(shared, ~std::size_t{0});
  expect_quiet_failure(shared, 16, bad_alignment);
}

TEST(quiet_failure, fallback_over_a_full_resource) {
  mallard::static_resource first(bytes, sizeof bytes);
  (void)first.allocate(sizeof bytes);
  mallard::mapped_resource second({.limit_bytes = limit_bytes});
  mallard::fallback_resource both(&first, &second);
  (void)both.allocate(16);
  exceptions = allocations = 0;
  void* const p = both.allocate(16);
  const int made[] = {exceptions, allocations};
  EXPECT_TRUE(second.owns(p));
  for (const int count : made) EXPECT_EQ(count, 0);
}

}  // namespace
