// Live blocks by address: a hash table of indices with linear probing, and the blocks in an array
// of their own. So a table that is partly empty or that grows costs little. Each block takes its
// own bytes and about 16 more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mallard::profile {

// Block: default-constructible, with a member `address`, which is 0 for no block. At most 2^32 - 1
// at once. All operations O(1) on average.
template <class Block>
class live_table {
 public:
  live_table() : slots_(1024) {}

  std::size_t size() const { return size_; }

  // Effects: makes find() faster. Prefetch the slot first, the block some time later.
  void prefetch_slot(std::uint64_t address) const {
    __builtin_prefetch(&slots_[hash_of(address) & mask()]);
  }
  void prefetch_block(std::uint64_t address) {
    const std::uint32_t place = slots_[hash_of(address) & mask()].place;
    if (place != 0) __builtin_prefetch(&block(place));
  }
  // The block stays at its place until it is erased.
  Block* find(std::uint64_t address) {
    const std::uint32_t hash = hash_of(address);
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const slot& one = slots_[at];
      if (one.place == 0) return nullptr;
      if (one.hash != hash) continue;
      if (Block& found = block(one.place); found.address == address) return &found;
    }
  }
  // Requires: no block at block.address.
  void insert(const Block& fresh) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    const std::uint32_t place = take_place();
    block(place) = fresh;
    put({hash_of(fresh.address), place});
    ++size_;
  }
  // `gone`: from find(). Later slots of its run move up, so no tombstones remain.
  void erase(Block* gone) {
    const std::uint32_t hash = hash_of(gone->address);
    std::size_t hole = hash & mask();
    while (slots_[hole].hash != hash || &block(slots_[hole].place) != gone) {
      hole = (hole + 1) & mask();
    }
    free_.push_back(slots_[hole].place);
    *gone = {};
    for (std::size_t at = (hole + 1) & mask(); slots_[at].place != 0; at = (at + 1) & mask()) {
      if (((at - slots_[at].hash) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --size_;
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& piece : pieces_) {
      for (std::size_t i = 0; i < piece_blocks; ++i) {
        if (piece[i].address != 0) visit(piece[i]);
      }
    }
  }

 private:
  static constexpr std::size_t piece_blocks = 256;
  struct slot {
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  // of the block, from 1; 0: none
  };

  std::size_t mask() const { return slots_.size() - 1; }
  static std::uint32_t hash_of(std::uint64_t address) {
    return static_cast<std::uint32_t>(((address >> 4) * 0x9e3779b97f4a7c15u ^ address) >> 20);
  }
  Block& block(std::uint32_t place) {
    return pieces_[(place - 1) / piece_blocks][(place - 1) % piece_blocks];
  }
  std::uint32_t take_place() {
    if (!free_.empty()) {
      const std::uint32_t place = free_.back();
      free_.pop_back();
      return place;
    }
    if (places_ % piece_blocks == 0) pieces_.push_back(std::make_unique<Block[]>(piece_blocks));
    return ++places_;
  }
  void put(const slot& one) {
    std::size_t at = one.hash & mask();
    while (slots_[at].place != 0) at = (at + 1) & mask();
    slots_[at] = one;
  }
  void grow() {
    std::vector<slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const slot& one : old) {
      if (one.place != 0) put(one);
    }
  }

  std::vector<slot> slots_;
  std::vector<std::unique_ptr<Block[]>> pieces_;
  std::vector<std::uint32_t> free_;  // free places
  std::uint32_t places_ = 0;
  std::size_t size_ = 0;
};

}  // namespace mallard::profile
