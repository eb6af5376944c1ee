// What lives, by address: a hash table of about a hundred bytes a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::profile {

// Block: default-constructible, with a member `address`; address 0 is no block. All operations O(1)
// on average.
template <class Block>
class live_table {
 public:
  live_table() : slots_(1024) {}

  std::size_t size() const { return size_; }

  Block* find(std::uint64_t address) {
    for (std::size_t at = home(address);; at = (at + 1) & mask()) {
      if (slots_[at].address == address) return &slots_[at];
      if (slots_[at].address == 0) return nullptr;
    }
  }
  // There is none at block.address.
  void insert(const Block& block) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    put(block);
    ++size_;
  }
  // `block` is what find() gave. Later blocks of its run move up, so that no marks are left behind.
  void erase(Block* block) {
    std::size_t hole = static_cast<std::size_t>(block - slots_.data());
    for (std::size_t at = (hole + 1) & mask(); slots_[at].address != 0; at = (at + 1) & mask()) {
      if (((at - home(slots_[at].address)) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --size_;
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Block& one : slots_) {
      if (one.address != 0) visit(one);
    }
  }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(std::uint64_t address) const {
    return ((address >> 4) * 0x9e3779b97f4a7c15u ^ address) >> 20 & mask();
  }
  void put(const Block& block) {
    std::size_t at = home(block.address);
    while (slots_[at].address != 0) at = (at + 1) & mask();
    slots_[at] = block;
  }
  void grow() {
    std::vector<Block> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Block& one : old) {
      if (one.address != 0) put(one);
    }
  }

  std::vector<Block> slots_;
  std::size_t size_ = 0;
};

}  // namespace mallard::profile
