// Tables of results in the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/results.hpp"

namespace mallard::cli {

// One table per data structure of the cells with this heap and peer (and of AS1): rows are sizes,
// columns strategies, figures nanoseconds per leaf insertion, coloured over the whole table.
std::string heat_maps(const std::vector<lab::cell_result>& cells, std::string_view heap,
                      std::string_view peer, bool colour);

// Geometric means over everything both were measured in: how many times as fast as AS1 each
// strategy is, a column per peer. Empty without AS1.
std::string speed_ups(const std::vector<lab::cell_result>& cells, std::string_view heap);

}  // namespace mallard::cli
