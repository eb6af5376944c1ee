// What one repetition of a cell of a series measured.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mallard::lab {

// A figure with its name and unit, which are string literals: a forked process has them at the same
// addresses.
struct reading {
  const char* name = nullptr;
  const char* unit = nullptr;
  double value = 0;
};

// Sent through a pipe as it is, hence no owning members.
class readings {
 public:
  void add(const char* name, const char* unit, double value) {
    assert(count_ < all_.size());
    all_[count_++] = {name, unit, value};
  }
  bool has(std::string_view name) const {
    return std::any_of(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count_),
                       [&](const reading& one) { return one.name == name; });
  }
  std::span<const reading> all() const { return {all_.data(), count_}; }

  // Of what was done, the same for every strategy.
  std::uint64_t checksum = 0;

 private:
  std::array<reading, 12> all_{};
  std::size_t count_ = 0;
};

}  // namespace mallard::lab
