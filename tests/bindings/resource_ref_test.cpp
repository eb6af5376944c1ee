#include "mallard/resource_ref.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/multipool.hpp"

namespace {

using mallard::resource_ref;

static_assert(sizeof(resource_ref) == sizeof(void*));
static_assert(std::is_trivially_copyable_v<resource_ref>);
static_assert(!std::default_initializable<resource_ref>);
static_assert(!std::convertible_to<std::nullptr_t, resource_ref>);
static_assert(std::convertible_to<mallard::multipool_resource&, resource_ref>);
static_assert(!std::convertible_to<mallard::multipool_resource, resource_ref>);
static_assert(std::convertible_to<mallard::multipool_resource*, resource_ref>);

std::size_t use(resource_ref memory) {
  std::pmr::vector<int> v(10, 7, memory);
  return v.size();
}

TEST(resource_ref, is_taken_where_a_resource_is) {
  mallard::counting_resource counter;
  EXPECT_EQ(use(counter), 10u);
  EXPECT_EQ(use(&counter), 10u);
  EXPECT_EQ(counter.counts().allocations, 2u);
  const resource_ref ref = counter;
  mallard::multipool_resource above(ref);
  EXPECT_EQ(above.upstream_resource(), &counter);
  void* const p = ref->allocate(8, 8);
  (*ref).deallocate(p, 8, 8);
  EXPECT_EQ(counter.counts().allocations, 3u);
}

TEST(resource_ref, equals_what_is_equal) {
  mallard::multipool_resource a;
  mallard::multipool_resource b;
  EXPECT_EQ(resource_ref(a), resource_ref(&a));
  EXPECT_NE(resource_ref(a), resource_ref(b));
}

}  // namespace
