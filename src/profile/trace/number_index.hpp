// Numbers of what lies in a list, by hash: open addressing in a power of two of slots, at most half
// of them used. The list says what a number stands for; its [0] is nothing. The bits of a slot that
// no number needs have some of the hash, so the list is hardly ever read for another key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::profile {

// For keys that are one number.
inline std::uint64_t hash_of_number(std::uint64_t key) {
  const std::uint64_t h = key * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 32);
}

class number_index {
  struct all {
    bool operator()(std::uint32_t) const { return true; }
  };

 public:
  // Returns: the number with this hash for which `is(number)`; where there is none, `next`, the
  // size of the list, to which the caller then appends. O(1) on average.
  template <class Is>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t next, const Is& is) {
    std::size_t at = hash & mask();
    for (; slots_[at] != 0; at = (at + 1) & mask()) {
      const std::uint32_t number = slots_[at] & mask();
      if (slots_[at] == slot(hash, number) && is(number)) return number;
    }
    slots_[at] = slot(hash, next);
    return next;
  }
  // No further number has room: refill() is due. `size`: of the list.
  bool is_full(std::size_t size) const { return size * 2 > slots_.size(); }
  // Effects: finds the numbers for which `stays(number)`, and no others; has room for one more.
  template <class HashOf, class Stays = all>
  void refill(std::size_t size, const HashOf& hash_of, const Stays& stays = {}) {
    slots_.assign(is_full(size) ? slots_.size() * 2 : slots_.size(), 0);
    for (std::uint32_t number = 1; number < size; ++number) {
      if (!stays(number)) continue;
      const std::uint64_t hash = hash_of(number);
      std::size_t at = hash & mask();
      while (slots_[at] != 0) at = (at + 1) & mask();
      slots_[at] = slot(hash, number);
    }
  }

 private:
  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t slot(std::uint64_t hash, std::uint32_t number) const {
    return (static_cast<std::uint32_t>(hash >> 32) & ~mask()) | number;
  }

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(256);
};

}  // namespace mallard::profile
