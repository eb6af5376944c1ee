// Purpose: the layout of a checked block's memory: pads of a known pattern on both sides, and
// patterns in the block itself before it is used and after.
#pragma once

#include <cstddef>
#include <cstring>

#include "mallard/detail/bits.hpp"

namespace mallard::inline v1::detail {

class padded_block {
 public:
  // `pads`: bytes of a pad; 0 for none.
  padded_block(unsigned char* block, std::size_t bytes, std::size_t alignment,
               std::size_t pads) noexcept
      : block_(block), bytes_(bytes), alignment_(alignment), pads_(pads) {}

  // The bytes in front of a block keep it aligned and end with its pad.
  static std::size_t front_bytes(std::size_t alignment, std::size_t pads) noexcept {
    return pads == 0 ? 0 : round_up(pads, alignment);
  }

  unsigned char* base() const noexcept { return block_ - front_bytes(alignment_, pads_); }
  std::size_t whole_bytes() const noexcept {
    return front_bytes(alignment_, pads_) + bytes_ + pads_;
  }

  void fill_new() const noexcept {
    fill(new_fill);
    fill_pads();
  }
  void fill_pads() const noexcept {
    std::memset(block_ - pads_, pad_fill, pads_);
    std::memset(block_ + bytes_, pad_fill, pads_);
  }
  void fill_dead() const noexcept { fill(dead_fill); }

  bool is_front_intact() const noexcept { return consists_of(block_ - pads_, pads_, pad_fill); }
  bool is_back_intact() const noexcept { return consists_of(block_ + bytes_, pads_, pad_fill); }
  // True if nobody has written to the block since fill_dead.
  bool is_dead() const noexcept {
    if (bytes_ <= filled_whole) return consists_of(block_, bytes_, dead_fill);
    return consists_of(block_, filled_end, dead_fill) &&
           consists_of(block_ + bytes_ - filled_end, filled_end, dead_fill);
  }

 private:
  static constexpr unsigned char pad_fill = 0xB1;
  static constexpr unsigned char new_fill = 0xCD;
  static constexpr unsigned char dead_fill = 0xDD;
  // Filling all of a huge block would touch pages that its user never needs.
  static constexpr std::size_t filled_whole = std::size_t{1} << 20;
  static constexpr std::size_t filled_end = filled_whole / 16;

  static bool consists_of(const unsigned char* p, std::size_t bytes, unsigned char value) noexcept {
    // The first byte is right, and each equals the one before it.
    return bytes == 0 || (*p == value && std::memcmp(p, p + 1, bytes - 1) == 0);
  }
  void fill(unsigned char value) const noexcept {
    if (bytes_ <= filled_whole) {
      std::memset(block_, value, bytes_);
      return;
    }
    std::memset(block_, value, filled_end);
    std::memset(block_ + bytes_ - filled_end, value, filled_end);
  }

  unsigned char* block_;
  std::size_t bytes_;
  std::size_t alignment_;
  std::size_t pads_;
};

}  // namespace mallard::inline v1::detail
