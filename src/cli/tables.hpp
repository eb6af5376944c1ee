// Tables of cells in the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/results/cell.hpp"

namespace mallard::cli {

// Tables for each bench, as it says; of strategies those of one library, `peer`, and of the global
// heap. Where mallocs are compared, how many times the best one's figures are stands beside them.
std::string tables(const std::vector<lab::cell_result>& cells, std::string_view peer, bool colour);

// Whether tables of that library show the cell.
bool is_shown(const lab::cell_result& cell, std::string_view peer);

// Geometric means over everything both were measured in: how many times as fast as the base of
// their bench contenders are. Empty without a base; mallocs have none.
std::string speed_ups(const std::vector<lab::cell_result>& cells);

}  // namespace mallard::cli
