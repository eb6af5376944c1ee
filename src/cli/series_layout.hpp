// How the tables of each series bench are laid out.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lab/series.hpp"

namespace mallard::cli {

// What a table shows of each cell.
struct figure {
  const char* title;
  double (*value)(const lab::series_cell&);
  bool more_is_better = false;
};

// What the columns of a table are.
enum class across {
  strategies,  // of one library at a time, and of the global heap
  libraries,   // strategies of all libraries side by side
  threads,     // and strategies are in the rows
};

// How the cells of a bench are laid out: what makes tables of their own, and what makes rows.
struct layout {
  std::string_view bench;
  std::vector<const char*> tables;
  std::vector<const char*> rows;
  across columns;
  const char* measure;  // the one that columns are compared by
  std::vector<figure> figures;
};

// That of the cell's bench; for a bench that this program does not know, one from what the cell
// has.
layout layout_of(const lab::series_cell& cell);

// What a bench compares: "AS7" or "v2@boost".
std::string column_id(const lab::series_cell& cell, across columns);

// The column that the others of the bench are seen against.
std::string_view base_column(across columns);

// Values of some coordinates.
using place = std::vector<lab::coordinate>;

place pick(const lab::series_cell& cell, const std::vector<const char*>& names);
std::string join(const std::vector<const char*>& names, const place& values);

// What a row or a column is called, and where it comes.
struct label {
  place order;
  std::string text;
  friend bool operator<(const label& a, const label& b) {
    return std::tie(a.order, a.text) < std::tie(b.order, b.text);
  }
};

label row_of(const lab::series_cell& cell, const layout& how);
label column_of(const lab::series_cell& cell, const layout& how);

// The names of what makes the rows, as wide as the rows' texts.
std::string row_head(const layout& how);

// Not a number when the cell has no such measure.
double median_of(const lab::series_cell& cell, const char* measure);

}  // namespace mallard::cli
