// Purpose: what is known of each routed block: a byte for every 16 bytes of addresses, outside of
// the blocks, so that they lie as close together as they would without a hook.
//
// The bytes of 64 MiB of addresses are a leaf of 4 MiB, which comes when the first of its blocks
// does. A table of the leaves covers all addresses that programs have, so that it knows the
// program's own blocks, too: those of a run through the hook that no resource serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace mallard::route {

inline constexpr std::size_t granule = 16;  // what blocks are a multiple of, and aligned to

// The request for a block, rounded up to `granule`.
struct block_shape {
  std::size_t bytes;
  std::size_t alignment;
};

inline block_shape shape_of(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t to = alignment > granule ? alignment : granule;
  return {((bytes == 0 ? 1 : bytes) + to - 1) & ~(to - 1), to};
}

// The request of the program.
struct block_request {
  std::size_t bytes;
  std::size_t alignment = 0;  // 0: none
  bool zeroed = false;
  bool by_new = false;
};

class block_codes {
 public:
  // The byte of this address; 0: no block begins there.
  std::uint8_t at(const void* p) const noexcept {
    const std::uint8_t* const leaf = leaf_of(p);
    return leaf == nullptr || reinterpret_cast<std::uintptr_t>(p) % granule != 0
               ? 0
               : leaf[place_of(p)];
  }
  // The same for a block of the program, whose leaf is made if there is none: to look there takes
  // as long in all runs then, whoever serves the others.
  std::uint8_t look_at(const void* block) noexcept {
    if (leaf_of(block) == nullptr && block != nullptr) [[unlikely]]
      make_room(block, 1);
    return at(block);
  }
  // Effects: makes room for blocks in these addresses; false when there is no memory.
  bool make_room(const void* p, std::size_t bytes) noexcept;

  // A block is born, or asked for, or gone. There is room for it.
  void set(const void* block, block_shape shape) noexcept {
    if (shape.bytes >= long_form * granule) [[unlikely]]
      return write_long(code_of(block), shape);
    *code_of(block) = static_cast<std::uint8_t>(shape.bytes / granule);
  }
  // 0 bytes: nothing lives there.
  block_shape get(const void* block) const noexcept {
    const std::uint8_t* const leaf = leaf_of(block);
    if (leaf == nullptr || reinterpret_cast<std::uintptr_t>(block) % granule != 0) return {0, 0};
    return shape_of(leaf + place_of(block));  // 0 bytes where the code is 0
  }
  void clear(const void* block) noexcept {
    std::uint8_t* const code = code_of(block);
    if (*code == long_form) [[unlikely]]
      return erase_long(code);
    *code = 0;
  }

  // The same where it is one byte for each block, which says whose it is: `most_owners` can be told
  // apart. False: there is no memory for that.
  static constexpr std::uint32_t most_owners = 254;
  bool set_byte(const void* block, std::uint32_t owner) noexcept {
    if (leaf_of(block) == nullptr && !make_room(block, 1)) [[unlikely]]
      return false;
    *code_of(block) = static_cast<std::uint8_t>(owner);
    return true;
  }
  // The bytes to ask that malloc for: of two blocks of 8 bytes or less, both may lie in one
  // granule.
  static constexpr std::size_t unshared(std::size_t bytes) noexcept {
    return bytes > granule / 2 ? bytes : granule;
  }
  std::uint8_t take_byte(const void* block) noexcept {
    return std::exchange(*code_of(block), std::uint8_t{0});
  }

 private:
  static constexpr unsigned leaf_shift = 26;
  static constexpr unsigned address_bits = 48;
  static constexpr std::size_t leaf_count = std::size_t{1} << (address_bits - leaf_shift);
  static constexpr std::size_t codes_of_leaf = (std::size_t{1} << leaf_shift) / granule;
  // A code below is a size in granules; this one says that size and alignment are behind it.
  static constexpr std::uint8_t long_form = 255;

  static std::size_t place_of(const void* p) noexcept {
    return reinterpret_cast<std::uintptr_t>(p) / granule % codes_of_leaf;
  }
  std::uint8_t* leaf_of(const void* p) const noexcept {
    return __atomic_load_n(
        leaves_ + (reinterpret_cast<std::uintptr_t>(p) >> leaf_shift) % leaf_count,
        __ATOMIC_ACQUIRE);
  }
  std::uint8_t* code_of(const void* p) const noexcept { return leaf_of(p) + place_of(p); }
  static block_shape shape_of(const std::uint8_t* code) noexcept {
    if (*code == long_form) [[unlikely]]
      return read_long(code);
    return {*code * granule, granule};
  }
  static void write_long(std::uint8_t* code, block_shape shape) noexcept {
    *code = long_form;
    std::memcpy(code + 1, &shape, sizeof shape);
  }
  static block_shape read_long(const std::uint8_t* code) noexcept {
    block_shape out{};
    std::memcpy(&out, code + 1, sizeof out);
    return out;
  }
  static void erase_long(std::uint8_t* code) noexcept {
    std::memset(code, 0, 1 + sizeof(block_shape));
  }

  // Untouched pages of it take no memory. No std::atomic: clang counts each one's initialization.
  std::uint8_t* leaves_[leaf_count] = {};
};

}  // namespace mallard::route
