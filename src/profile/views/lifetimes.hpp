// Sizes and lifetimes of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profile/views/stack_history.hpp"

namespace mallard::profile {

// The blocks of a cell that were allocated in one step of the history.
struct lifetime_step {
  std::uint32_t step = 0;
  std::uint32_t row = 0, column = 0;
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

// Rows are sizes, columns lifetimes; each reaches from its limit to the next.
struct lifetime_map {
  std::vector<std::uint64_t> sizes;                 // bytes
  std::vector<std::optional<std::uint64_t>> lives;  // nanoseconds; not set: to the end
  std::vector<std::vector<std::uint64_t>> blocks;   // by size and lifetime
  std::vector<std::vector<std::uint64_t>> bytes;
  std::vector<lifetime_step> steps;  // in the order of the steps
};

// Memory: 512 KiB.
class lifetime_builder {
 public:
  // `step_ns`: the length of a step of the history.
  explicit lifetime_builder(std::uint64_t step_ns)
      : step_length_(step_ns), cells_(stack_history_builder::steps * rows * columns) {}

  void died(std::uint64_t size, std::uint64_t born, std::uint64_t lifetime) {
    add(size, born, column_of(lifetime));
  }
  void outlived(std::uint64_t size, std::uint64_t born) { add(size, born, columns - 1); }
  // Leaves out empty rows and columns at the edges.
  lifetime_map finish() const;

 private:
  static constexpr std::size_t rows = 62;     // below 16 bytes, then doubling
  static constexpr std::size_t columns = 11;  // below 1 us, then tenfold to 100 s; to the end
  static std::size_t row_of(std::uint64_t size);
  static std::size_t column_of(std::uint64_t lifetime);
  void add(std::uint64_t size, std::uint64_t born, std::size_t column);

  struct cell {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };
  const cell& at(std::size_t step, std::size_t row, std::size_t column) const {
    return cells_[(step * rows + row) * columns + column];
  }
  cell sum_at(std::size_t row, std::size_t column) const;

  std::uint64_t step_length_;
  std::vector<cell> cells_;  // by step, row and column
};

}  // namespace mallard::profile
