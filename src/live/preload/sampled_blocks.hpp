// Purpose: the live blocks that are samples, and how much each stands for. Every free asks for its
// block, so the fast check is one bit: whether the block's part of the table is empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::live {

struct sampled_block {
  std::uint64_t address;  // 0: no block
  std::uint64_t bytes;    // that it stands for
  std::uint32_t blocks;   // likewise, in sixteenths
  std::uint32_t site;
};

// Callers must exclude each other, except for may_have(), which any thread may call at any time.
class sampled_blocks {
 public:
  // Reserves memory. Returns: false if there is none.
  bool open() noexcept;

  bool may_have(const void* block) const noexcept {
    const std::size_t at = place_of(reinterpret_cast<std::uint64_t>(block));
    return (filled_[at / 64].load(std::memory_order_relaxed) >> (at % 64) & 1) != 0;
  }
  // Returns: false if there is no room.
  bool add(const sampled_block& one) noexcept;
  // Removes and returns it; address 0 if it is not there.
  sampled_block take(const void* block) noexcept;

 private:
  static constexpr unsigned bits = 17;
  static constexpr std::size_t in_place = 4;

  static std::size_t place_of(std::uint64_t address) noexcept {
    return static_cast<std::size_t>((address >> 4) * 0x9e37'79b9'7f4a'7c15 >> (64 - bits));
  }

  sampled_block* blocks_ = nullptr;
  std::atomic<std::uint64_t> filled_[(std::size_t{1} << bits) / 64] = {};
};

}  // namespace mallard::live
