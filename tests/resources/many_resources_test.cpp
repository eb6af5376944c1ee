// Programs with thousands of synchronized resources: what one of them costs does not depend on how
// many others there are. Costs are counted in instructions, so they are the same in every run.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "mallard/multipool.hpp"
#include "mallard/synchronized_heap.hpp"
#include "support/instruction_count.hpp"
#include "support/instrumented.hpp"

namespace {

using mallard::synchronized_heap_resource;

// Resources, and upstreams for those that have one of their own, which no two threads may call.
class many_resources {
 public:
  explicit many_resources(std::size_t count, bool own_upstreams = false) {
    for (std::size_t i = 0; i < count; ++i) {
      if (own_upstreams) {
        upstreams_.push_back(std::make_unique<mallard::multipool_resource>());
        all_.push_back(std::make_unique<synchronized_heap_resource>(upstreams_.back().get()));
      } else {
        all_.push_back(std::make_unique<synchronized_heap_resource>());
      }
    }
  }

  void use(std::size_t i) { all_[i]->deallocate(all_[i]->allocate(24, 8), 24, 8); }
  void use(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) use(i);
  }
  void destroy(std::size_t i) { all_[i].reset(); }
  std::size_t size() const { return all_.size(); }
  synchronized_heap_resource& operator[](std::size_t i) { return *all_[i]; }

 private:
  std::vector<std::unique_ptr<mallard::multipool_resource>> upstreams_;
  std::vector<std::unique_ptr<synchronized_heap_resource>> all_;
};

constexpr std::size_t few = 100;
constexpr std::size_t many = 3000;

// Neither number of resources is one at which a table grows.
void expect_flat(bool own_upstreams, const std::function<void(many_resources&)>& prepare,
                 const std::function<void(many_resources&)>& operation) {
  if (mallard_test::instrumented) GTEST_SKIP() << "other instructions are counted, too";
  std::vector<std::uint64_t> counts;
  for (const std::size_t count : {few, many}) {
    std::optional<many_resources> resources;
    const auto taken = mallard_test::count_instructions(
        [&] {
          resources.emplace(count, own_upstreams);
          resources->use(0, count - 8);
          prepare(*resources);
        },
        [&] { operation(*resources); });
    ASSERT_TRUE(taken.has_value()) << "instructions could not be counted";
    counts.push_back(*taken);
  }
  EXPECT_LE(counts[1], counts[0] + 500) << "with " << many << " resources instead of " << few;
}

void nothing(many_resources&) {}
void use_last(many_resources& resources) {
  resources.use(resources.size() - 1);
}

TEST(many_resources, first_use_takes_no_longer_than_among_few) {
  expect_flat(false, nothing, use_last);
}

TEST(many_resources, first_use_over_an_upstream_of_its_own_takes_no_longer_than_among_few) {
  expect_flat(true, nothing, use_last);
}

TEST(many_resources, the_next_use_takes_no_longer_than_among_few) {
  expect_flat(false, nothing, [](many_resources& resources) { resources.use(0); });
}

TEST(many_resources, destroying_takes_no_longer_than_among_few) {
  expect_flat(false, nothing, [](many_resources& resources) { resources.destroy(0); });
  expect_flat(false, nothing, [](many_resources& resources) { resources.destroy(few / 2); });
}

TEST(many_resources, first_use_after_many_have_gone_takes_no_longer_than_among_few) {
  const auto destroy_half = [](many_resources& resources) {
    for (std::size_t i = 0; i < resources.size() - 8; i += 2) resources.destroy(i);
  };
  expect_flat(false, destroy_half, use_last);
}

// A table grows in one thread while another takes resources out of it.
TEST(many_resources, tables_grow_while_resources_go) {
  constexpr std::size_t count = 1500;
  many_resources resources(count);
  many_resources lasting(count);
  std::atomic<std::size_t> used = 0;
  std::thread user([&] {
    for (std::size_t i = 0; i < count; ++i) {
      resources.use(i);
      used.store(i + 1, std::memory_order_release);
      lasting.use(i);
    }
    for (std::size_t i = 0; i < count; ++i) lasting.use(i);
  });
  for (std::size_t i = 0; i < count; ++i) {
    while (used.load(std::memory_order_acquire) <= i) std::this_thread::yield();
    resources.destroy(i);
  }
  user.join();
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(lasting[i].stats().in_use_bytes, 0u);
    // Used twice by one thread, which found its heap again.
    EXPECT_LE(lasting[i].stats().orphan_slabs, 1u);
  }
}

// Upstreams that come and go in any order each keep a lock of their own.
TEST(many_resources, upstreams_of_their_own_come_and_go) {
  constexpr std::size_t count = 300;
  for (std::size_t step : {1u, 7u, 211u}) {
    many_resources resources(count, true);
    resources.use(0, count);
    for (std::size_t i = 0; i < count / 2; ++i) resources.destroy(i * step % count);
    many_resources more(count, true);
    more.use(0, count);
    std::thread([&] { more.use(0, count); }).join();
  }
}

}  // namespace
