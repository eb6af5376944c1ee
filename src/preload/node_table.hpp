// Purpose: the numbers of the frames that a thread has sent, as a hash table in the thread's slot.
// An entry has only the 64-bit hash of its key, since the key itself would take as much again. Two
// of at most 2^16 frames have equal hashes in one of 10^9 tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mallard::preload {

struct known_node {
  std::uint64_t key;
  std::uint64_t number;  // 0: no entry
};

class node_table {
 public:
  // `memory`: zeroed, `entries` (a power of two) of known_node.
  void open(void* memory, std::uint32_t entries) noexcept {
    entries_ = static_cast<known_node*>(memory);
    mask_ = entries - 1;
    count_ = 0;
  }

  // The key of a stack, from its caller's key (0: none) and its innermost frame.
  static std::uint64_t key_of(std::uint64_t outside, std::uint64_t ip,
                              std::uint64_t frame_address) noexcept {
    std::uint64_t key = (outside ^ ip) * 0xff51'afd7'ed55'8ccd;
    key = ((key ^ (key >> 32)) + frame_address) * 0xc4ce'b9fe'1a85'ec53;
    return key ^ (key >> 29);
  }

  // The entry with this key, or the free one where it belongs (its number is 0).
  known_node& find(std::uint64_t key) noexcept {
    for (std::uint64_t at = key;; ++at) {
      known_node& node = entries_[at & mask_];
      if (node.key == key || node.number == 0) return node;
    }
  }

  bool full() const noexcept { return count_ > mask_ / 2; }
  // Gives the entry that find() returned the next number.
  std::uint32_t add(known_node& at, std::uint64_t key) noexcept {
    at = {key, ++count_};
    return count_;
  }
  void clear() noexcept {
    std::memset(static_cast<void*>(entries_), 0, (std::size_t{mask_} + 1) * sizeof(known_node));
    count_ = 0;
  }

 private:
  known_node* entries_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace mallard::preload
