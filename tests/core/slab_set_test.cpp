#include "mallard/detail/core/slab_set.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "mallard/detail/core/annotate.hpp"

namespace {

using namespace mallard::detail;

// Gives memory, and counts it.
struct counted_source {
  std::size_t taken = 0;
  std::size_t given = 0;
  std::size_t left = 1000;  // so many may still be taken

  static void* take(void* context, std::size_t bytes, const slab_rescue& rescue) {
    auto& self = *static_cast<counted_source*>(context);
    if (self.left == 0) {
      rescue();
      return nullptr;
    }
    --self.left;
    ++self.taken;
    return ::operator new(bytes, std::align_val_t{bytes});
  }
  static void give(void* context, void* p, std::size_t bytes) noexcept {
    ++static_cast<counted_source*>(context)->given;
    unpoison(p, bytes);
    ::operator delete(p, std::align_val_t{bytes});
  }
};
constexpr slab_source source_calls{counted_source::take, counted_source::give};

class slab_set_test : public testing::Test {
 protected:
  static constexpr unsigned index = class_of(64);
  static constexpr const slab_layout& layout = class_layouts[index];
  static constexpr std::size_t capacity = layout.capacity();

  ~slab_set_test() override { set.release(false); }

  void* take() {
    if (pool.free_slots == 0 && !set.refill(pool, index)) return nullptr;
    return take_slot(pool, layout.block_bytes);
  }
  std::vector<void*> take(std::size_t count) {
    std::vector<void*> all;
    while (all.size() < count) all.push_back(take());
    return all;
  }
  void give(void* p) { slab_set::give(pool, layout, class_steps[index], p); }
  // Only those that the pool does not keep at hand count as free in their slab.
  std::size_t in_use() {
    set.rest_pool(pool, index);
    return set.usage().taken_bytes / layout.block_bytes;
  }

  counted_source source;
  slab_set set{class_layouts.data(), source_calls, &source, 1};
  slab_pool pool{};
};

TEST_F(slab_set_test, the_slots_of_a_slab_come_in_address_order_and_do_not_overlap) {
  const std::vector<void*> all = take(capacity);
  for (std::size_t i = 1; i < all.size(); ++i) {
    ASSERT_EQ(static_cast<std::byte*>(all[i]) - static_cast<std::byte*>(all[i - 1]), 64);
  }
  EXPECT_EQ(source.taken, 1U);
  EXPECT_EQ(set.usage().taken_bytes, capacity * 64);
  take();
  EXPECT_EQ(source.taken, 2U);
}

TEST_F(slab_set_test, what_was_given_back_is_used_before_a_new_slab_is_asked_for) {
  const std::vector<void*> first = take(capacity);
  const std::vector<void*> second = take(capacity);
  for (std::size_t i = 0; i < capacity; i += 2) give(first[i]);
  for (std::size_t i = 0; i < capacity; i += 2) {
    void* const p = take();
    EXPECT_EQ(aligned_start<slab>(p, layout.slab_bytes),
              aligned_start<slab>(first[0], layout.slab_bytes));
  }
  EXPECT_EQ(source.taken, 2U);
}

TEST_F(slab_set_test, single_slots_of_a_full_slab_are_not_swept_for) {
  const std::vector<void*> first = take(capacity);
  take();
  give(first[capacity / 2]);
  // The rest of the second slab, and then a third one: the one slot of the first is not worth it.
  take(capacity);
  EXPECT_EQ(source.taken, 3U);
}

TEST_F(slab_set_test, without_memory_even_single_slots_are_found) {
  const std::vector<void*> first = take(capacity);
  take(capacity);
  source.left = 0;
  EXPECT_EQ(take(), nullptr);
  give(first[capacity / 2]);
  EXPECT_EQ(take(), first[capacity / 2]);
  EXPECT_EQ(take(), nullptr);
}

TEST_F(slab_set_test, the_emptiest_slab_is_used_last) {
  const std::vector<void*> first = take(capacity);
  const std::vector<void*> second = take(capacity);
  take();  // a third one
  for (std::size_t i = 0; i < capacity * 3 / 4; ++i) give(first[i]);
  for (std::size_t i = 0; i < capacity / 4; ++i) give(second[i]);
  take(capacity - 1);  // the rest of the third
  void* const p = take();
  EXPECT_EQ(aligned_start<slab>(p, layout.slab_bytes),
            aligned_start<slab>(second[0], layout.slab_bytes));
}

TEST_F(slab_set_test, an_empty_slab_is_kept_for_any_class_of_its_size_and_others_go_back) {
  const std::vector<void*> all = take(4 * capacity);
  EXPECT_EQ(source.taken, 4U);
  for (void* const p : all) give(p);
  // One is current, and one in the reserve.
  EXPECT_EQ(source.given, 2U);
  EXPECT_EQ(set.usage().slabs, 2U);
  constexpr unsigned other = class_of(128);
  static_assert(class_layouts[other].slab_bytes == layout.slab_bytes);
  slab_pool other_pool{};
  ASSERT_TRUE(set.refill(other_pool, other));
  EXPECT_EQ(source.taken, 4U);
  set.rest_pool(other_pool, other);
  set.trim_pool(other_pool, other);
  set.trim_pool(pool, index);
  set.trim_reserve();
  EXPECT_TRUE(set.has_no_slabs());
  EXPECT_EQ(source.given, source.taken);
}

TEST_F(slab_set_test, a_burst_is_linked_and_complete_or_nothing) {
  const chain_ends chain = set.take_many(pool, index, 2 * capacity, 64);
  std::size_t count = 0;
  for (void* p = chain.first; p != nullptr; p = *static_cast<void**>(p)) ++count;
  EXPECT_EQ(count, 2 * capacity);
  source.left = 0;
  EXPECT_EQ(set.take_many(pool, index, 1, 64).first, nullptr);
  EXPECT_EQ(in_use(), 2 * capacity);
  set.give_many(pool, index, chain.first, count);
  EXPECT_EQ(in_use(), 0U);
  source.left = 0;
  EXPECT_EQ(set.take_many(pool, index, 5 * capacity, 64).first, nullptr);
  EXPECT_EQ(in_use(), 0U);
}

TEST_F(slab_set_test, what_is_absorbed_belongs_to_the_other_set) {
  const std::vector<void*> all = take(2 * capacity);
  for (std::size_t i = 0; i < capacity; i += 2) give(all[i]);
  set.rest_pool(pool, index);
  slab_set other{class_layouts.data(), source_calls, &source, 1};
  std::vector<slab_pool> pools(class_layouts.size());
  other.absorb(pools.data(), set);
  pool = {};
  EXPECT_TRUE(set.has_no_slabs());
  EXPECT_EQ(other.usage().slabs, 2U);
  EXPECT_TRUE(other.owns(all[1], index));
  EXPECT_FALSE(set.owns(all[1], index));
  // Its free slots are found there.
  ASSERT_TRUE(other.refill(pools[index], index));
  EXPECT_EQ(source.taken, 2U);
  other.release(false);
  EXPECT_EQ(source.given, 2U);
}

TEST_F(slab_set_test, a_current_slab_is_adopted_with_its_blocks) {
  const std::vector<void*> all = take(capacity / 2);
  set.rest_pool(pool, index);
  slab_set other{class_layouts.data(), source_calls, &source, 1};
  slab_pool other_pool{};
  ASSERT_TRUE(other.adopt(other_pool, set, pool, index));
  EXPECT_FALSE(other.adopt(other_pool, set, pool, index));
  EXPECT_TRUE(set.has_no_slabs());
  slab_set::give(other_pool, layout, class_steps[index], all[0]);
  EXPECT_TRUE(other.advance(other_pool, index) || other_pool.free_slots != 0);
  EXPECT_EQ(source.taken, 1U);
  other.release(false);
}

TEST_F(slab_set_test, what_is_detached_is_out_of_the_set_until_it_is_given_back) {
  set.set_reserve_limit(keep_every_slab);
  const std::vector<void*> all = take(3 * capacity);
  for (void* const p : all) give(p);
  set.rest_pool(pool, index);
  set.retire_current(pool, index);
  slab* const detached = set.detach_reserve(1);
  EXPECT_EQ(set.usage().slabs, 1U);
  EXPECT_EQ(source.given, 0U);
  set.give_detached(detached);
  EXPECT_EQ(source.given, 2U);
}

}  // namespace
