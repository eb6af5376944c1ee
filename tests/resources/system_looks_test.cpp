// A library with assertions seldom asks the system what is mapped: what it has itself it knows.
#include <gtest/gtest.h>

#include <memory_resource>
#include <thread>
#include <vector>

#include "mallard/heap.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace {

int looks = 0;

// Slabs that become empty go upstream at once, and the next round takes others.
void fill_and_empty(std::pmr::memory_resource& pool, int rounds) {
  std::vector<void*> blocks;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 200; ++i) blocks.push_back(pool.allocate(200));
    for (void* const p : blocks) pool.deallocate(p, 200);
    blocks.clear();
  }
}

}  // namespace

extern "C" int __real_mincore(void*, std::size_t, unsigned char*);
extern "C" int __wrap_mincore(void* p, std::size_t bytes, unsigned char* states) {
  ++looks;
  return __real_mincore(p, bytes, states);
}

TEST(system_looks, a_multipool_whose_slabs_come_and_go_needs_none) {
  mallard::multipool_resource pool({.empty_slabs_kept = 0}, std::pmr::new_delete_resource());
  looks = 0;
  fill_and_empty(pool, 100);
  EXPECT_EQ(looks, 0);
}

TEST(system_looks, a_heap_whose_slabs_come_and_go_needs_none) {
  mallard::heap_resource heap({.empty_slabs_kept = 0}, std::pmr::new_delete_resource());
  looks = 0;
  fill_and_empty(heap, 100);
  EXPECT_EQ(looks, 0);
}

TEST(system_looks, blocks_of_other_threads_need_none) {
  mallard::synchronized_multipool_resource pool(std::pmr::new_delete_resource());
  looks = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks;
    std::thread([&] {
      for (int i = 0; i < 200; ++i) blocks.push_back(pool.allocate(200));
    }).join();
    for (void* const p : blocks) pool.deallocate(p, 200);
  }
  EXPECT_EQ(looks, 0);
}
