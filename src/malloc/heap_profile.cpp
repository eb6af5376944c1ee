#include "malloc/heap_profile.hpp"

#include <algorithm>
#include <cstring>

#include "malloc/kept_errno.hpp"
#include "malloc/sampling.hpp"

namespace mallard::inline v1::detail {

constinit heap_profile the_profile;

namespace {

constexpr std::size_t index_places = 2 * heap_profile::most_stacks;
constexpr std::size_t first_places = 1024;
constexpr std::uint64_t hash_multiplier = 0x9e3779b97f4a7c15;

std::uint64_t hash_of(const call_stack& from) noexcept {
  std::uint64_t hash = from.count;
  for (std::size_t i = 0; i < from.count; ++i) {
    hash = (hash ^ from.returns[i]) * hash_multiplier;
    hash ^= hash >> 29;
  }
  return hash;
}

sampled_block* map_blocks(std::size_t places) noexcept {
  return static_cast<sampled_block*>(
      os::map(places * sizeof(sampled_block), os::page_size(), false));
}

void add_to(sampled_sums& sums, const sampled_sums& more) noexcept {
  sums.blocks += more.blocks;
  sums.bytes += more.bytes;
}

void take_from(sampled_sums& sums, const sampled_sums& less) noexcept {
  sums.blocks -= less.blocks;
  sums.bytes -= less.bytes;
}

}  // namespace

bool heap_profile::open() noexcept {
  const holding hold(lock_);
  if (is_open()) return true;
  if (!stacks_.open(most_stacks) || !frames_.open(most_frames) || !index_.open(index_places)) {
    return false;
  }
  if (index_.size() == 0 && index_.add(index_places) == nullptr) return false;
  // The stack without frames.
  if (stacks_.size() == 0 && stacks_.add(1) == nullptr) return false;
  if (blocks_ == nullptr) blocks_ = map_blocks(first_places);
  if (blocks_ == nullptr) return false;
  places_ = first_places;
  is_open_.store(true, std::memory_order_release);
  return true;
}

std::uint32_t heap_profile::stack_of(const call_stack& from) noexcept {
  if (from.count == 0) return 0;
  const std::uint64_t hash = hash_of(from);
  for (std::size_t at = hash % index_places;; at = (at + 1) % index_places) {
    std::uint32_t& number = index_[at];
    if (number == 0) {
      sampled_stack* const made = stacks_.add(1);
      std::uint64_t* const frames = made == nullptr ? nullptr : frames_.add(from.count);
      if (frames == nullptr) return 0;
      std::memcpy(frames, from.returns.data(), from.count * sizeof(std::uint64_t));
      *made = {hash,
               static_cast<std::uint32_t>(frames_.size() - from.count),
               static_cast<std::uint32_t>(from.count),
               {},
               {}};
      number = static_cast<std::uint32_t>(stacks_.size() - 1);
      return number;
    }
    const sampled_stack& known = stacks_[number];
    if (known.hash == hash && known.frames == from.count &&
        std::memcmp(&frames_[known.first_frame], from.returns.data(),
                    from.count * sizeof(std::uint64_t)) == 0) {
      return number;
    }
  }
}

std::size_t heap_profile::home_of(const void* p) const noexcept {
  return (address_of(p) * hash_multiplier >> 32) & (places_ - 1);
}

// The place of the block, else the free one where it belongs.
sampled_block* heap_profile::place_of(const void* p) noexcept {
  std::size_t at = home_of(p);
  while (blocks_[at].address != nullptr && blocks_[at].address != p) at = (at + 1) & (places_ - 1);
  return blocks_ + at;
}

bool heap_profile::make_room() noexcept {
  if (used_ < places_ / 2) return true;
  sampled_block* const larger = map_blocks(2 * places_);
  if (larger == nullptr) return used_ < places_ / 8 * 7;
  sampled_block* const smaller = blocks_;
  const std::size_t count = places_;
  blocks_ = larger;
  places_ = 2 * count;
  for (std::size_t i = 0; i < count; ++i) {
    if (smaller[i].address != nullptr) *place_of(smaller[i].address) = smaller[i];
  }
  os::unmap(smaller, count * sizeof(sampled_block));
  return true;
}

void heap_profile::insert(const sampled_block& block) noexcept {
  if (!make_room()) return;
  sampled_block* const place = place_of(block.address);
  // A block that was forgotten when it was freed.
  if (place->address != nullptr) {
    erase(place);
    return insert(block);
  }
  *place = block;
  ++used_;
  add_to(stacks_[block.stack].live, block.stands_for);
  live_blocks_.store(used_, std::memory_order_relaxed);
  live_bytes_.store(live_bytes() + block.stands_for.bytes, std::memory_order_relaxed);
}

// Moves the blocks that follow up, so that each is found without a mark in this one's place.
void heap_profile::erase(sampled_block* place) noexcept {
  take_from(stacks_[place->stack].live, place->stands_for);
  live_bytes_.store(live_bytes() - place->stands_for.bytes, std::memory_order_relaxed);
  live_blocks_.store(--used_, std::memory_order_relaxed);
  auto hole = static_cast<std::size_t>(place - blocks_);
  for (std::size_t at = hole;;) {
    at = (at + 1) & (places_ - 1);
    if (blocks_[at].address == nullptr) break;
    const std::size_t home = home_of(blocks_[at].address);
    if (((at - home) & (places_ - 1)) < ((at - hole) & (places_ - 1))) continue;
    blocks_[hole] = blocks_[at];
    hole = at;
  }
  blocks_[hole] = {};
}

void heap_profile::add(const void* p, std::size_t bytes, const user_heap* heap,
                       const call_stack& from) noexcept {
  const kept_errno keep;
  bytes = std::max<std::size_t>(bytes, 1);
  const double blocks = requests_per_sample(bytes);
  sampled_block block{p, heap, 0, {}};
  block.stands_for.blocks = static_cast<std::uint64_t>(blocks * one_block + 0.5);
  block.stands_for.bytes = static_cast<std::uint64_t>(blocks * static_cast<double>(bytes) + 0.5);
  const holding hold(lock_);
  if (!is_open()) return;
  block.stack = stack_of(from);
  add_to(stacks_[block.stack].allocated, block.stands_for);
  insert(block);
}

sampled_block heap_profile::take(const void* p, bool nested) noexcept {
  if (live_blocks_.load(std::memory_order_relaxed) == 0) return {};
  // The interrupted code may hold the lock.
  if (!nested) {
    lock_.lock();
  } else if (!lock_.try_lock()) {
    return {};
  }
  sampled_block* const place = place_of(p);
  const sampled_block out = *place;
  if (out.address != nullptr) erase(place);
  lock_.unlock();
  return out;
}

void heap_profile::put(const sampled_block& block) noexcept {
  if (block.address == nullptr) return;
  const holding hold(lock_);
  insert(block);
}

void heap_profile::forget_all_of(const user_heap& heap) noexcept {
  if (live_blocks_.load(std::memory_order_relaxed) == 0) return;
  const holding hold(lock_);
  for (std::size_t i = 0; i < places_;) {
    // Another one may have moved up.
    if (blocks_[i].address != nullptr && blocks_[i].heap == &heap) {
      erase(blocks_ + i);
    } else {
      ++i;
    }
  }
}

heap_profile::snapshot heap_profile::take_snapshot(std::span<sampled_stack> place) noexcept {
  const holding hold(lock_);
  const std::size_t count = std::min(stacks_.size(), place.size());
  std::memcpy(place.data(), stacks_.data(), count * sizeof(sampled_stack));
  return {place.first(count), {frames_.data(), frames_.size()}};
}

}  // namespace mallard::inline v1::detail
