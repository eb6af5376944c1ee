// The published figures, built into the program so that an installed tool needs no data files.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mallard::lab {

// Seconds that P0089R1 prints for the paper's 2^27 leaf insertions; empty where it prints none.
// `ds` as "DS1", `strategy` as "AS1".
std::optional<double> published_seconds(std::string_view ds, int size, std::string_view strategy);

// A table of Benchmarks II to IV as it is kept in reference/p0089. A cell without a figure is one
// that the paper prints as failed.
struct published_table {
  std::string_view name;  // of the file: "benchmark2_ratio_2e21"
  std::vector<std::string_view> columns;
  std::vector<std::vector<std::optional<double>>> rows;
};

std::span<const published_table> published_tables();

}  // namespace mallard::lab
