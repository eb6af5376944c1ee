#include "mallard/detail/core/slab_layout.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "mallard/detail/core/slot_bits.hpp"
#include "support/seeds.hpp"

namespace {

using namespace mallard::detail;

// The layouts of all size classes, and of sizes that only an adaptive pool has.
std::vector<slab_layout> layouts() {
  std::vector<slab_layout> all(class_layouts.begin(), class_layouts.end());
  for (const std::size_t bytes : {72u, 104u, 136u, 1000u, 3096u, 20008u}) {
    all.push_back(make_layout(bytes, slab_bytes_for(bytes)));
  }
  return all;
}

TEST(slab_layout, slots_lie_behind_the_header_and_inside_the_slab) {
  for (const slab_layout& l : layouts()) {
    const std::size_t header = slab_header_bytes + l.words * sizeof(std::uint64_t);
    EXPECT_GE(std::size_t{l.first_slot} * l.block_bytes, header) << l.block_bytes;
    EXPECT_LE(std::size_t{l.end_slot} * l.block_bytes, l.slab_bytes) << l.block_bytes;
    EXPECT_GT(l.capacity(), 0u) << l.block_bytes;
  }
}

TEST(slab_layout, each_slot_has_a_bit_of_its_own) {
  for (const slab_layout& l : layouts()) {
    std::set<std::size_t> granules;
    for (std::uint32_t slot = l.first_slot; slot < l.end_slot; ++slot) {
      const std::size_t granule = (std::size_t{slot} * l.block_bytes) >> l.granule_shift;
      EXPECT_LT(granule / 64, l.words);
      EXPECT_TRUE(granules.insert(granule).second) << l.block_bytes << " slot " << slot;
    }
  }
}

TEST(slab_layout, a_word_starts_with_the_slot_it_says) {
  for (const slab_layout& l : layouts()) {
    for (std::uint32_t w = 0; w < l.words; ++w) {
      const std::uint32_t slot = l.slot_of_word(w);
      ASSERT_EQ(slot, ((w << l.word_shift) + l.block_bytes - 1) / l.block_bytes);
      const std::size_t start = std::size_t{w} << (l.granule_shift + 6);
      EXPECT_GE(std::size_t{slot} * l.block_bytes, start);
      if (slot != 0) {
        EXPECT_LT((std::size_t{slot} - 1) * l.block_bytes, start);
      }
    }
  }
}

TEST(slot_bits, the_fast_form_agrees_with_stepping) {
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    std::mt19937_64 random(seed);
    for (const slab_layout& l : layouts()) {
      for (std::uint32_t w = 0; w < l.words; ++w) {
        const std::uint64_t word = random() & random();
        ASSERT_EQ(slots_of_word(l, w, word), slots_of_word_by_stepping(l, w, word))
            << l.block_bytes << " word " << w << mallard_test::reproduce_with(seed);
      }
    }
  }
}

TEST(slot_bits, stepping_maps_each_slot_to_its_place) {
  for (const slab_layout& l : layouts()) {
    for (std::uint32_t slot = l.first_slot; slot < l.end_slot; ++slot) {
      const std::size_t granule = (std::size_t{slot} * l.block_bytes) >> l.granule_shift;
      const auto w = static_cast<std::uint32_t>(granule / 64);
      const std::uint64_t in_pool =
          slots_of_word_by_stepping(l, w, std::uint64_t{1} << (granule % 64));
      ASSERT_EQ(in_pool, std::uint64_t{1} << (slot - l.slot_of_word(w)))
          << l.block_bytes << " slot " << slot;
    }
  }
}

TEST(slab_layout, every_size_class_has_a_possible_slab) {
  for (unsigned c = 0; c < class_count; ++c) {
    EXPECT_TRUE(is_possible_slab(class_bytes(c), class_layouts[c].slab_bytes));
  }
  EXPECT_FALSE(is_possible_slab(24, 128 * 1024)) << "its bitmap is too long";
}

}  // namespace
