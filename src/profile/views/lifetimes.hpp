// Sizes and lifetimes of blocks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace mallard::profile {

// Rows are sizes, columns lifetimes; each reaches from its limit to the next.
struct lifetime_map {
  std::vector<std::uint64_t> sizes;                 // bytes
  std::vector<std::optional<std::uint64_t>> lives;  // nanoseconds; not set: to the end
  std::vector<std::vector<std::uint64_t>> blocks;   // by size and lifetime
  std::vector<std::vector<std::uint64_t>> bytes;
};

class lifetime_builder {
 public:
  void died(std::uint64_t size, std::uint64_t lifetime) { add(size, column_of(lifetime)); }
  void outlived(std::uint64_t size) { add(size, columns - 1); }
  // Leaves out empty rows and columns at the edges.
  lifetime_map finish() const;

 private:
  static constexpr std::size_t rows = 62;     // below 16 bytes, then doubling
  static constexpr std::size_t columns = 11;  // below 1 us, then tenfold to 100 s; to the end
  static std::size_t row_of(std::uint64_t size);
  static std::size_t column_of(std::uint64_t lifetime);
  void add(std::uint64_t size, std::size_t column);

  struct cell {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };
  std::array<std::array<cell, columns>, rows> cells_{};
};

}  // namespace mallard::profile
