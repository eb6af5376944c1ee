// The decisions of a random program: from a seed, or from the bytes a fuzzer made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mallard_test {

class choices {
 public:
  // `count` decisions that depend on the seed alone.
  choices(std::uint64_t seed, std::size_t count) : state_(seed), left_(count) {}
  // Two bytes a decision, until the data are used up.
  choices(const std::uint8_t* data, std::size_t bytes) : data_(data), left_(bytes / 2) {}

  bool done() const { return left_ == 0; }

  // Returns a number below `bound`, which is at most 65536; 0 when done.
  std::size_t below(std::size_t bound) {
    if (left_ == 0) return 0;
    --left_;
    if (data_ == nullptr) return static_cast<std::size_t>(next_random() % bound);
    const std::size_t value = data_[0] + std::size_t{256} * data_[1];
    data_ += 2;
    return value % bound;
  }

 private:
  // splitmix64
  std::uint64_t next_random() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  const std::uint8_t* data_ = nullptr;
  std::uint64_t state_ = 0;
  std::size_t left_;
};

// Puts all elements in a random order.
template <class Element>
void shuffle(std::vector<Element>& all, choices decide) {
  for (std::size_t left = all.size(); left > 1; --left) {
    std::swap(all[left - 1], all[decide.below(left)]);
  }
}

}  // namespace mallard_test
