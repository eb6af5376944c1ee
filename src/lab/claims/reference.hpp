// The published figures, built into the program, so that an installed tool needs no data files.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mallard::lab {

// P0089R1's seconds for 2^27 leaf insertions; empty if it prints none. `ds` like "DS1", `strategy`
// like "AS1".
std::optional<double> published_seconds(std::string_view ds, int size, std::string_view strategy);

// A table of Benchmarks II to IV, as in reference/p0089. A cell without a figure is printed as
// failed in the paper.
struct published_table {
  std::string_view name;  // of the file: "benchmark2_ratio_2e21"
  std::vector<std::string_view> columns;
  std::vector<std::vector<std::optional<double>>> rows;
};

std::span<const published_table> published_tables();

}  // namespace mallard::lab
