// Pools whose upstream calls back into them: it allocates, frees and trims there before it serves
// or refuses, and once it has taken something back.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>

#include "mallard/adaptive_pool.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/heap.hpp"
#include "mallard/multipool.hpp"
#include "support/hooked_upstream.hpp"
#include "support/live_blocks.hpp"
#include "support/seeds.hpp"

namespace {

template <class Pool>
class pool_whose_upstream_calls_back : public testing::Test {
 protected:
  void begin(std::uint64_t seed) {
    random_.seed(seed);
    refusals_ = any_of(3) == 0 ? 0 : any_of(30);
    callbacks_ = 20 + any_of(60);
    // Few sizes, so that those of callbacks and of their callers meet.
    for (std::size_t& bytes : sizes_) bytes = any_of(8) == 0 ? any_of(60'000) : any_of(900);
    upstream_.after_deallocate = [this] { call_back(); };
    upstream_.before_allocate = [this] {
      call_back();
      if (any_of(100) < refusals_) throw std::bad_alloc();
    };
  }
  void step() {
    const std::size_t what = any_of(100);
    if (what < 50) {
      const std::size_t bytes = sizes_[any_of(sizes_.size())];
      const std::size_t alignment = std::size_t{1} << any_of(6);
      if (void* const p = pool_.try_allocate(bytes, alignment)) live_.add(p, bytes, alignment);
    } else if (what < 97 && !live_.empty()) {
      const mallard_test::live_block one = live_.remove(any_of(live_.size()));
      pool_.deallocate(one.data, one.bytes, one.alignment);
    } else if (what >= 97) {
      EXPECT_LE(pool_.trim(), std::size_t{1} << 40);
    }
  }
  void check() const { ASSERT_EQ(pool_.stats().reserved_bytes, memory_.counts().in_use_bytes); }
  void end() {
    upstream_.before_allocate = upstream_.after_deallocate = nullptr;
    while (!live_.empty()) {
      const mallard_test::live_block one = live_.remove(live_.size() - 1);
      pool_.deallocate(one.data, one.bytes, one.alignment);
    }
    pool_.trim();
    EXPECT_EQ(pool_.stats().reserved_bytes, 0U);
    EXPECT_EQ(memory_.counts().in_use_blocks, 0U);
  }

 private:
  std::size_t any_of(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  void call_back() {
    if (depth_ == 3) return;
    ++depth_;
    if (any_of(100) < callbacks_) {
      for (std::size_t left = 1 + any_of(4); left != 0; --left) step();
    }
    --depth_;
  }

  std::mt19937_64 random_;
  std::size_t refusals_ = 0;   // in a hundred
  std::size_t callbacks_ = 0;  // in a hundred
  std::array<std::size_t, 6> sizes_{};
  int depth_ = 0;  // of callbacks
  mallard::test_resource memory_;
  mallard_test::hooked_upstream upstream_{&memory_};
  Pool pool_{&upstream_};
  mallard_test::live_blocks live_;
};

using reentered_pools = testing::Types<mallard::multipool_resource, mallard::heap_resource,
                                       mallard::adaptive_pool_resource>;
TYPED_TEST_SUITE(pool_whose_upstream_calls_back, reentered_pools);

TYPED_TEST(pool_whose_upstream_calls_back, keeps_its_blocks_apart_and_loses_none) {
  for (const std::uint64_t seed : mallard_test::test_seeds(60)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    this->begin(seed);
    for (int i = 0; i < 600; ++i) {
      this->step();
      this->check();
    }
    this->end();
    if (this->HasFailure()) return;
  }
}

}  // namespace
