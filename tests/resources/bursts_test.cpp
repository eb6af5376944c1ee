// Bursts that no machine has memory for fail before they take any.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <new>

#include "mallard/adaptive_pool.hpp"
#include "mallard/adaptive_pool_allocator.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/expandable_allocator.hpp"
#include "mallard/heap.hpp"
#include "mallard/synchronized_heap.hpp"

namespace {

// Counts what it is asked for, and has memory for a hundred requests.
class small_upstream final : public std::pmr::memory_resource {
 public:
  int requests = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (++requests > 100) throw std::bad_alloc();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

constexpr std::size_t every_byte = ~std::size_t{0};

// The second's and third's product fits into 64 bits; the third is of the smallest blocks.
struct burst {
  std::size_t count;
  std::size_t bytes;
};
constexpr std::array<burst, 4> too_large{
    {{every_byte / 8, 64}, {every_byte / 64, 64}, {every_byte / 8, 8}, {every_byte, 1000}}};

template <class Resource>
class bursts : public testing::Test {
 protected:
  small_upstream upstream;
  Resource resource{&upstream};
};
using burst_resources = testing::Types<mallard::heap_resource, mallard::synchronized_heap_resource,
                                       mallard::adaptive_pool_resource>;
TYPED_TEST_SUITE(bursts, burst_resources);

TYPED_TEST(bursts, beyond_any_memory_take_none_of_it) {
  for (const auto [count, bytes] : too_large) {
    EXPECT_THROW(static_cast<void>(this->resource.allocate_many(count, bytes)),
                 std::bad_array_new_length);
  }
  EXPECT_EQ(this->upstream.requests, 0);
  this->resource.deallocate_many(this->resource.allocate_many(1000, 64), 64);
}

template <class Heap>
class bursts_of_sizes : public bursts<Heap> {};
using heaps = testing::Types<mallard::heap_resource, mallard::synchronized_heap_resource>;
TYPED_TEST_SUITE(bursts_of_sizes, heaps);

TYPED_TEST(bursts_of_sizes, beyond_any_memory_take_none_of_it) {
  for (const std::size_t last : {every_byte / 2, every_byte - 64, every_byte}) {
    EXPECT_THROW(
        static_cast<void>(this->resource.allocate_many(std::array<std::size_t, 3>{64, 3000, last})),
        std::bad_array_new_length);
  }
  EXPECT_EQ(this->upstream.requests, 0);
}

TEST(bursts_of_sizes, have_room_for_a_link_in_each_block) {
  mallard::test_resource upstream;  // ends the program where a block was written beyond its end
  mallard::adaptive_pool_resource pool(&upstream);
  constexpr std::size_t alignment = std::size_t{64} << 10;
  for (const std::size_t bytes : {5U, 3U}) {
    mallard::block_chain chain = pool.allocate_many(std::array{bytes, bytes}, alignment);
    while (!chain.empty()) pool.deallocate(chain.pop_front(), bytes, alignment);
  }
}

TEST(bursts_of_nodes, beyond_any_memory_take_none_of_it) {
  small_upstream upstream;
  const auto take_too_many = [](auto allocator) {
    typename decltype(allocator)::multiallocation_chain chain;
    EXPECT_THROW(allocator.allocate_individual(every_byte / 8, chain), std::bad_array_new_length);
    EXPECT_TRUE(chain.empty());
  };
  mallard::heap_resource heap(&upstream);
  take_too_many(mallard::expandable_allocator<double>(&heap));
  mallard::adaptive_pool_resource pool(&upstream);
  take_too_many(mallard::adaptive_pool_allocator<double>(&pool));
  EXPECT_EQ(upstream.requests, 0);
}

}  // namespace
