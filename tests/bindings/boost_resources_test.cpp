#include "mallard/boost.hpp"

#include <gtest/gtest.h>

#include <boost/container/pmr/list.hpp>
#include <boost/container/pmr/monotonic_buffer_resource.hpp>
#include <boost/container/pmr/polymorphic_allocator.hpp>
#include <boost/container/pmr/unsynchronized_pool_resource.hpp>
#include <boost/container/pmr/vector.hpp>
#include <boost/json.hpp>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"

namespace {

namespace bpmr = boost::container::pmr;

constexpr const char* document = R"({"names": ["a text that is too long for the value itself",
  "another of the same kind"], "numbers": [1, 2, 3], "nested": {"deep": {"deeper": null}}})";

TEST(boost_resource, serves_boosts_containers_by_base_and_by_type) {
  mallard::test_resource memory;
  {
    mallard::boost_resource by_type(memory);
    mallard::boost_resource<> by_base(memory);
    bpmr::vector<int> numbers({1, 2, 3}, &by_type);
    bpmr::list<int> nodes(&by_base);
    nodes.push_back(1);
    EXPECT_EQ(memory.counts().in_use_blocks, 2u);
  }
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(boost_resource, is_an_upstream_of_boosts_resources) {
  mallard::test_resource memory;
  mallard::boost_resource front(memory);
  {
    bpmr::unsynchronized_pool_resource pool(&front);
    bpmr::vector<int> numbers(100, 7, &pool);
    EXPECT_GT(memory.counts().in_use_blocks, 0u);
  }
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(boost_resource, equals_another_of_the_same_resource) {
  mallard::multipool_resource pool;
  mallard::multipool_resource other_pool;
  const mallard::boost_resource a(pool);
  const mallard::boost_resource b(pool);
  const mallard::boost_resource c(other_pool);
  EXPECT_TRUE(a.is_equal(b));
  EXPECT_FALSE(a.is_equal(c));
  EXPECT_FALSE(a.is_equal(*bpmr::new_delete_resource()));
}

TEST(boost_resource, holds_the_values_of_boost_json) {
  mallard::test_resource memory;
  mallard::boost_resource front(memory);
  {
    boost::json::value parsed = boost::json::parse(document, &front);
    EXPECT_GT(memory.counts().in_use_blocks, 5u);
    EXPECT_EQ(parsed.storage().get(), &front);
    EXPECT_EQ(parsed.at("numbers").as_array().size(), 3u);
    parsed.as_object().emplace("more", "a text that is too long for the value itself");
    EXPECT_FALSE(parsed.storage().is_deallocate_trivial());
  }
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(boost_resource, tells_boost_json_that_an_arena_takes_nothing_back) {
  mallard::monotonic_resource arena;
  mallard::boost_resource front(arena);
  const boost::json::value parsed = boost::json::parse(document, &front);
  EXPECT_TRUE(parsed.storage().is_deallocate_trivial());
  EXPECT_TRUE(arena.owns(&parsed.at("numbers").as_array()[0]));
  EXPECT_EQ(parsed.at("names").as_array().size(), 2u);
}

TEST(boost_resource, throws_what_the_resource_throws) {
  mallard::boost_resource none(*std::pmr::null_memory_resource());
  EXPECT_THROW(static_cast<void>(boost::json::parse(document, &none)), std::bad_alloc);
}

// Counts what it hands on.
class counting final : public bpmr::memory_resource {
 public:
  int in_use = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++in_use;
    return bpmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    --in_use;
    bpmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const bpmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

TEST(from_boost, serves_stds_containers_and_our_resources) {
  counting boosts;
  mallard::from_boost memory(boosts);
  {
    std::pmr::vector<int> numbers({1, 2, 3}, &memory);
    EXPECT_EQ(boosts.in_use, 1);
    mallard::multipool_resource pool(&memory);
    std::pmr::vector<int> in_pool({1, 2, 3}, &pool);
    EXPECT_GT(boosts.in_use, 1);
  }
  EXPECT_EQ(boosts.in_use, 0);
}

TEST(from_boost, aligns_where_boosts_resource_does_not) {
  counting boosts;  // over one that ignores alignment
  mallard::from_boost memory(boosts);
  for (std::size_t alignment = 1; alignment <= 65536; alignment *= 2) {
    void* const p = memory.allocate(100, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
    std::memset(p, 1, 100);
    memory.deallocate(p, 100, alignment);
  }
  EXPECT_EQ(boosts.in_use, 0);
  EXPECT_THROW(static_cast<void>(memory.allocate(~std::size_t{0}, 64)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(memory.allocate(~std::size_t{0}, 8)), std::bad_alloc);
  constexpr std::size_t highest = ~(~std::size_t{0} >> 1);
  EXPECT_THROW(static_cast<void>(memory.allocate(highest, highest)), std::bad_alloc);
}

TEST(from_boost, equals_another_of_the_same_resource) {
  counting boosts;
  counting others;
  EXPECT_TRUE(mallard::from_boost(boosts).is_equal(mallard::from_boost(boosts)));
  EXPECT_FALSE(mallard::from_boost(boosts).is_equal(mallard::from_boost(others)));
  EXPECT_FALSE(mallard::from_boost(boosts).is_equal(*std::pmr::new_delete_resource()));
}

}  // namespace
