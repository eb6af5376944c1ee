// Lays the cells of a bench out in tables.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/results/cell.hpp"

namespace mallard::cli {

// Name and position of a row or a column.
struct label {
  std::vector<lab::coordinate> order;
  std::string text;
  friend bool operator<(const label& a, const label& b) {
    return std::tie(a.order, a.text) < std::tie(b.order, b.text);
  }
};

// The bench of a cell: of this program, or one made of what the cell has. Cells of a series that
// comes with a bench's cells have none: null.
const lab::bench* bench_of(const lab::cell_result& cell);

// Names the contender of a cell: "AS7", "v2@boost" or "jemalloc".
label contender_label(const lab::cell_result& cell, const lab::bench& of);
// Whether it is the one that the others of the bench are seen against.
bool is_base(const lab::cell_result& cell, const lab::bench& of);

// The place in its table: everything for benches whose contenders make the rows.
label row_of(const lab::cell_result& cell, const lab::bench& of);
std::string row_head(const lab::bench& of);
label column_of(const lab::cell_result& cell, const lab::bench& of);

// Whether tables of the bench show cells of one library only, and of the global heap.
bool is_of_one_library(const lab::bench& of);

// Not a number when the cell has no such figure.
double value_of(const lab::figure_kind& shown, const lab::cell_result& cell);

}  // namespace mallard::cli
