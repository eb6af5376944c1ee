// Counts how often each number occurred, in a few kilobytes whatever is counted. It is exact up to
// a few thousand different numbers; then numbers are rounded to eight significant bits (0.4 %). The
// counts are in a hash table with linear probing. When that is full, all numbers in it are rounded,
// and equal ones are joined.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace mallard::profile {

class number_counts {
 public:
  // O(1), and nearly free if it is the number counted last.
  void add(std::uint64_t value, std::uint64_t times = 1) {
    if (times == 0) return;
    count_ += times;
    sum_ += value * times;
    if (latest_ < slots_.size() && slots_[latest_].first == value && slots_[latest_].second != 0) {
      slots_[latest_].second += times;
    } else {
      add_other(value, times);
    }
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t max() const { return max_; }
  std::size_t different() const { return used_; }
  // The smallest number with at least this share of all numbers at or below it; 0 if there are
  // none.
  std::uint64_t quantile(double share) const;
  // The mean without this share of the largest numbers; 0 if there are none.
  double mean_without(double share) const;
  // The numbers and how often each occurred, the smallest first.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted() const;
  bool exact() const { return !coarse_; }

 private:
  using slot = std::pair<std::uint64_t, std::uint64_t>;  // value, times; 0 times: empty
  static constexpr std::size_t most = 2048;
  void add_other(std::uint64_t value, std::uint64_t times);
  void put(std::uint64_t value, std::uint64_t times);
  void resize(std::size_t slots);

  std::vector<slot> slots_;
  std::size_t used_ = 0;
  std::size_t latest_ = 0;  // the slot of the number counted last
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
  bool coarse_ = false;
};

}  // namespace mallard::profile
