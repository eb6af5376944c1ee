#include "support/live_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "support/require.hpp"

namespace mallard_test {
namespace {

// Large blocks are filled and checked at both ends only: what goes wrong goes wrong there.
constexpr std::size_t filled_whole = 4 * 1024;
constexpr std::size_t filled_end = 1024;

// A block's content is a part of this, which starts where its tag says.
constexpr unsigned starts = 4093;
const auto noise = [] {
  std::array<std::byte, starts + filled_whole> bytes{};
  std::uint32_t state = 1;
  for (std::byte& b : bytes) {
    state = state * 1664525 + 1013904223;
    b = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}();

template <class Visit>
void visit_filled(const live_block& b, Visit visit) {
  if (b.bytes == 0) return;
  const std::byte* const contents = noise.data() + b.tag % starts;
  if (b.bytes <= filled_whole) return visit(b.data, contents, b.bytes);
  visit(b.data, contents, filled_end);
  visit(b.data + b.bytes - filled_end, contents + filled_end, filled_end);
}

void fill(const live_block& b) {
  visit_filled(b, [](std::byte* part, const std::byte* contents, std::size_t bytes) {
    std::memcpy(part, contents, bytes);
  });
}

void check(const live_block& b) {
  visit_filled(b, [&](const std::byte* part, const std::byte* contents, std::size_t bytes) {
    if (std::memcmp(part, contents, bytes) == 0) return;
    const auto at = std::mismatch(part, part + bytes, contents).first - b.data;
    fail("byte ", at, " of a block of ", b.bytes, " bytes at alignment ", b.alignment,
         " was changed");
  });
}

std::uintptr_t begin_of(const live_block& b) {
  return reinterpret_cast<std::uintptr_t>(b.data);
}
std::uintptr_t end_of(const live_block& b) {
  return begin_of(b) + std::max<std::size_t>(b.bytes, 1);
}

}  // namespace

void live_blocks::insert_range(const live_block& b) {
  const auto next = ranges_.lower_bound(begin_of(b));
  const bool hits_next = next != ranges_.end() && next->first < end_of(b);
  const bool hits_previous = next != ranges_.begin() && std::prev(next)->second > begin_of(b);
  require(!hits_next && !hits_previous, "a block of ", b.bytes, " bytes at alignment ", b.alignment,
          " overlaps another live block");
  ranges_.emplace(begin_of(b), end_of(b));
}

void live_blocks::erase_range(const live_block& b) {
  ranges_.erase(begin_of(b));
}

void live_blocks::add(void* data, std::size_t bytes, std::size_t alignment) {
  require(data != nullptr, "allocate(", bytes, ", ", alignment, ") returned null");
  require(reinterpret_cast<std::uintptr_t>(data) % alignment == 0, "allocate(", bytes, ", ",
          alignment, ") returned the misaligned ", data);
  const live_block block{static_cast<std::byte*>(data), bytes, alignment, next_tag_++};
  insert_range(block);
  fill(block);
  blocks_.push_back(block);
}

live_block live_blocks::remove(std::size_t index) {
  std::swap(blocks_[index], blocks_.back());
  const live_block block = blocks_.back();
  check(block);
  erase_range(block);
  blocks_.pop_back();
  return block;
}

void live_blocks::resize(std::size_t index, std::size_t bytes) {
  live_block& block = blocks_[index];
  live_block common = block;
  common.bytes = std::min(block.bytes, bytes);
  // A pattern of a large block has a gap in the middle, so only small ones are compared.
  if (block.bytes <= filled_whole) check(common);
  erase_range(block);
  block.bytes = bytes;
  insert_range(block);
  fill(block);
}

void live_blocks::forget_since(unsigned tag) {
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    if (blocks_[i].tag >= tag) remove(i);
  }
}

void live_blocks::clear() {
  forget_since(0);
}

void live_blocks::verify() const {
  std::for_each(blocks_.begin(), blocks_.end(), check);
}

}  // namespace mallard_test
