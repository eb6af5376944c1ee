#include "profile/views/lifetimes.hpp"

#include <algorithm>
#include <bit>

namespace mallard::profile {
namespace {

std::uint64_t size_limit(std::size_t row) {
  return row == 0 ? 0 : std::uint64_t{8} << row;
}

std::uint64_t life_limit(std::size_t column) {
  std::uint64_t limit = column == 0 ? 0 : 1000;
  for (std::size_t i = 1; i < column; ++i) limit *= 10;
  return limit;
}

}  // namespace

std::size_t lifetime_builder::row_of(std::uint64_t size) {
  if (size < 16) return 0;
  return std::min(rows - 1, static_cast<std::size_t>(std::bit_width(size)) - 4);
}

std::size_t lifetime_builder::column_of(std::uint64_t lifetime) {
  std::size_t column = 0;
  while (column + 2 < columns && lifetime >= life_limit(column + 1)) ++column;
  return column;
}

void lifetime_builder::add(std::uint64_t size, std::uint64_t born, std::size_t column) {
  const auto step = std::min<std::uint64_t>(stack_history_builder::steps - 1, born / step_length_);
  cell& one = cells_[(step * rows + row_of(size)) * columns + column];
  ++one.blocks;
  one.bytes += size;
}

lifetime_builder::cell lifetime_builder::sum_at(std::size_t row, std::size_t column) const {
  cell sum;
  for (std::size_t step = 0; step < stack_history_builder::steps; ++step) {
    const cell& one = at(step, row, column);
    sum.blocks += one.blocks;
    sum.bytes += one.bytes;
  }
  return sum;
}

lifetime_map lifetime_builder::finish() const {
  std::size_t first_row = rows;
  std::size_t last_row = 0;
  std::size_t first_column = columns;
  std::size_t last_column = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (sum_at(r, c).blocks == 0) continue;
      first_row = std::min(first_row, r);
      last_row = r;
      first_column = std::min(first_column, c);
      last_column = std::max(last_column, c);
    }
  }
  lifetime_map made;
  if (first_row == rows) return made;
  for (std::size_t c = first_column; c <= last_column; ++c) {
    made.lives.push_back(c + 1 == columns ? std::nullopt : std::optional(life_limit(c)));
  }
  for (std::size_t r = first_row; r <= last_row; ++r) {
    made.sizes.push_back(size_limit(r));
    auto& blocks = made.blocks.emplace_back();
    auto& bytes = made.bytes.emplace_back();
    for (std::size_t c = first_column; c <= last_column; ++c) {
      const cell sum = sum_at(r, c);
      blocks.push_back(sum.blocks);
      bytes.push_back(sum.bytes);
    }
  }
  for (std::uint32_t step = 0; step < stack_history_builder::steps; ++step) {
    for (std::size_t r = first_row; r <= last_row; ++r) {
      for (std::size_t c = first_column; c <= last_column; ++c) {
        const cell& one = at(step, r, c);
        if (one.blocks == 0) continue;
        made.steps.push_back({.step = step,
                              .row = static_cast<std::uint32_t>(r - first_row),
                              .column = static_cast<std::uint32_t>(c - first_column),
                              .blocks = one.blocks,
                              .bytes = one.bytes});
      }
    }
  }
  return made;
}

}  // namespace mallard::profile
