// Purpose: the numbers of the frames that a thread has sent: a hash table in the thread's slot.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mallard::recorder {

struct known_node {
  std::uint64_t ip;
  std::uint64_t frame_address;
  std::uint32_t parent;
  std::uint32_t number;  // 0: no entry
  std::uint64_t unused;
};
static_assert(sizeof(known_node) == 32);

class node_table {
 public:
  // `memory`: zeros, `entries` (a power of two) of known_node.
  void open(void* memory, std::uint32_t entries) noexcept {
    entries_ = static_cast<known_node*>(memory);
    mask_ = entries - 1;
    count_ = 0;
  }

  // The entry of this frame, or the one where it is to be put (its number is 0).
  known_node& find(std::uint32_t parent, std::uint64_t ip, std::uint64_t frame_address) noexcept {
    std::uint64_t hash = (ip ^ (frame_address << 20) ^ parent) * 0x9e37'79b9'7f4a'7c15;
    hash ^= frame_address * 0xc2b2'ae3d'27d4'eb4f;
    for (std::uint64_t at = hash >> 32;; ++at) {
      known_node& node = entries_[at & mask_];
      if (node.number == 0 ||
          (node.ip == ip && node.frame_address == frame_address && node.parent == parent)) {
        return node;
      }
    }
  }

  bool full() const noexcept { return count_ > mask_ / 4 * 3; }
  // The next number, for the entry that was found.
  std::uint32_t add(known_node& at, std::uint32_t parent, std::uint64_t ip,
                    std::uint64_t frame_address) noexcept {
    at = {ip, frame_address, parent, ++count_, 0};
    return count_;
  }
  void clear() noexcept {
    for (std::uint32_t i = 0; i <= mask_; ++i) entries_[i].number = 0;
    count_ = 0;
  }

 private:
  known_node* entries_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace mallard::recorder
