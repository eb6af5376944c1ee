#include "mallard/new_object.hpp"

#include <gtest/gtest.h>

#include <memory_resource>
#include <stdexcept>
#include <string>

#include "mallard/checks/test_resource.hpp"
#include "mallard/multipool.hpp"

namespace {

template <class R>
struct new_object : testing::Test {};
using resources = testing::Types<mallard::multipool_resource, std::pmr::memory_resource>;
TYPED_TEST_SUITE(new_object, resources);

TYPED_TEST(new_object, gives_its_resource_to_the_object_and_takes_all_back) {
  mallard::test_resource upstream;
  {
    mallard::multipool_resource pool(&upstream);
    TypeParam& memory = pool;
    auto* const text = mallard::new_object<std::pmr::string>(memory, 100u, 'x');
    EXPECT_EQ(text->get_allocator().resource(), &pool);
    EXPECT_EQ(*text, std::pmr::string(100, 'x'));
    mallard::delete_object(memory, text);
    const int* const number = mallard::new_object<const int>(memory, 7);
    EXPECT_EQ(*number, 7);
    mallard::delete_object(memory, number);
    EXPECT_EQ(pool.stats().in_use_bytes, 0u);
  }
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

struct fails {
  fails() { throw std::runtime_error("no"); }
};

TEST(new_object_fails, a_throwing_constructor_gives_its_memory_back) {
  mallard::test_resource memory;
  EXPECT_THROW(static_cast<void>(mallard::new_object<fails>(memory)), std::runtime_error);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

}  // namespace
