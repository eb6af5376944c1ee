#include "mallard/detail/core/class_pools.hpp"

#include <bit>

namespace mallard::inline v1::detail {

void* class_pools::refill_and_take(unsigned size_class) {
  slab_pool& pool = pools_[size_class];
  refill(pool, size_class);
  return take_slot(pool, class_layouts[size_class].block_bytes);
}

block_chain class_pools::take_many(unsigned size_class, std::size_t count) {
  slab_pool& pool = pools_[size_class];
  const std::size_t block_bytes = class_layouts[size_class].block_bytes;
  block_chain chain;
  while (chain.size() < count) {
    if (pool.free_slots == 0) {
      try {
        refill(pool, size_class);
      } catch (...) {
        give_many(size_class, chain);
        throw;
      }
    }
    for (std::size_t wanted = count - chain.size(); wanted != 0 && pool.free_slots != 0; --wanted) {
      void* const p = take_slot(pool, block_bytes);
      unpoison(p, sizeof(void*));
      chain.push_back(p);
    }
  }
  return chain;
}

void class_pools::give_many(unsigned size_class, block_chain chain) noexcept {
  const slab_layout& layout = class_layouts[size_class];
  slab_pool& pool = pools_[size_class];
  while (!chain.empty()) {
    void* const p = chain.pop_front();
    // One word of one slab at a time.
    slab* const home = aligned_start<slab>(p, layout.slab_bytes);
    const std::size_t word = (address_of(p) - address_of(home)) >> layout.word_shift;
    std::uint64_t bits = std::uint64_t{1} << ((address_of(p) >> layout.granule_shift) & 63);
    std::uint32_t left = home->countdown - 1;
    poison(p, layout.block_bytes);
    while (left != 0 && !chain.empty()) {
      void* const q = chain.front();
      const std::size_t offset = address_of(q) - address_of(home);
      if (offset >= layout.slab_bytes || offset >> layout.word_shift != word) break;
      bits |= std::uint64_t{1} << ((address_of(q) >> layout.granule_shift) & 63);
      --left;
      chain.pop_front();
      poison(q, layout.block_bytes);
    }
    MALLARD_ASSERT((home->words()[word] & bits) == 0 && "block given back twice");
    home->words()[word] |= bits;
    home->countdown = left;
    if (left == 0) settle(pool, size_class, p);
  }
}

// Puts the hot blocks to the others at hand.
void class_pools::cool() noexcept {
  for (unsigned c = 0; c < table_class_count; ++c) {
    void* const p = hot_[c];
    hot_[c] = nullptr;
    if (p != nullptr) give(p, c);
  }
}

void class_pools::rest() noexcept {
  cool();
  for (unsigned c = 0; c < class_count; ++c) {
    slab_pool& pool = pools_[c];
    // The current slab stays where it is, however many are given back.
    for (; pool.free_slots != 0; pool.free_slots &= pool.free_slots - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(pool.free_slots));
      static_cast<void>(
          give_slot(pool.base + slot * class_layouts[c].block_bytes, class_layouts[c]));
    }
  }
}

void class_pools::absorb_all(class_pools& from) noexcept {
  from.rest();
  rest();
  absorb(pools_.data(), from);
  from.reset();
}

std::size_t class_pools::trim() noexcept {
  const std::size_t before = usage().reserved_bytes;
  cool();
  for (unsigned c = 0; c < class_count; ++c) trim_pool(pools_[c], c);
  trim_reserve();
  return before - usage().reserved_bytes;
}

std::size_t class_pools::at_hand_bytes() const noexcept {
  std::size_t bytes = 0;
  for (unsigned c = 0; c < class_count; ++c) {
    auto blocks = static_cast<std::size_t>(std::popcount(pools_[c].free_slots));
    if (c < table_class_count && hot_[c] != nullptr) ++blocks;
    bytes += blocks * class_layouts[c].block_bytes;
  }
  return bytes;
}

}  // namespace mallard::inline v1::detail
