// Measurements of one repetition of a cell: named values, as many as the kernel gives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mallard::lab {

// Sent between processes as it is.
struct reading {
  // Marks a value of the whole cell, not of a part.
  static constexpr std::int64_t whole = -1;

  std::array<char, 24> name{};
  double value = 0;
  // If one process measures several cells (chains of calls, points of time): the number of this
  // one.
  std::int64_t part = whole;

  std::string_view what() const { return name.data(); }
};

// Its memory is mapped, so that adding to it changes nothing about the heap that is measured.
class readings {
 public:
  readings() = default;
  ~readings();
  readings(const readings&) = delete;
  readings& operator=(const readings&) = delete;

  // Names are those of the bench's measures, of at most 23 characters.
  void add(std::string_view name, double value, std::int64_t part = reading::whole);
  bool has(std::string_view name) const;
  // Returns the first value of this name; 0 when there is none.
  double value_of(std::string_view name, std::int64_t part = reading::whole) const;
  std::span<const reading> all() const { return {all_, count_}; }
  void clear();

  // Checksum of the work, the same for every contender.
  std::uint64_t checksum = 0;
  // A finding of the first repetition for the later ones, such as how often to repeat something
  // short; 0: nothing.
  std::uint64_t hint = 0;

 private:
  void grow();

  reading* all_ = nullptr;
  std::size_t count_ = 0;
  std::size_t room_ = 0;
};

}  // namespace mallard::lab
