// The model every resource is compared with: which blocks are alive, and what they must contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace mallard_test {

struct live_block {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  unsigned tag = 0;  // decides the contents
};

class live_blocks {
 public:
  // Fails when the block is null, misaligned or overlaps a live one. Fills it with a pattern.
  void add(void* data, std::size_t bytes, std::size_t alignment);
  // Checks the contents of block `index` and forgets it. The last block takes its place.
  live_block remove(std::size_t index);
  // Block `index` has kept its address but has another size now; its common prefix is checked.
  void resize(std::size_t index, std::size_t bytes);
  // Checks and forgets the blocks added since next_tag() was `tag`.
  void forget_since(unsigned tag);
  unsigned next_tag() const { return next_tag_; }
  void clear();

  // Checks the contents of every block.
  void verify() const;

  std::size_t size() const { return blocks_.size(); }
  bool empty() const { return blocks_.empty(); }
  const live_block& operator[](std::size_t index) const { return blocks_[index]; }

 private:
  void insert_range(const live_block& block);
  void erase_range(const live_block& block);

  std::vector<live_block> blocks_;
  std::map<std::uintptr_t, std::uintptr_t>
      ranges_;  // begin -> end, an empty block counts as a byte
  unsigned next_tag_ = 1;
};

}  // namespace mallard_test
