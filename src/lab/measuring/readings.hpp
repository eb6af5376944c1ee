// The measurements of one repetition of a cell: any number of named values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mallard::lab {

// Sent between processes as bytes.
struct reading {
  // Marks a value of the whole cell.
  static constexpr std::int64_t whole = -1;

  std::array<char, 24> name{};
  double value = 0;
  // If one process measures several cells (chains of calls, points in time): this one's number.
  std::int64_t part = whole;

  std::string_view what() const { return name.data(); }
};

// In mapped memory, so that adding to it does not change the measured heap.
class readings {
 public:
  readings() = default;
  ~readings();
  readings(const readings&) = delete;
  readings& operator=(const readings&) = delete;

  // Names are those of the bench's measures, of at most 23 characters.
  void add(std::string_view name, double value, std::int64_t part = reading::whole);
  bool has(std::string_view name) const;
  // The first value with this name; 0 if there is none.
  double value_of(std::string_view name, std::int64_t part = reading::whole) const;
  std::span<const reading> all() const { return {all_, count_}; }
  void clear();

  // A checksum of the work, equal for all contenders.
  std::uint64_t checksum = 0;
  // A result of the first repetition for later ones, such as a number of runs; 0: none.
  std::uint64_t hint = 0;

 private:
  void grow();

  reading* all_ = nullptr;
  std::size_t count_ = 0;
  std::size_t room_ = 0;
};

}  // namespace mallard::lab
