// Tables of the benches of mallocs in the terminal.
#pragma once

#include <string>
#include <vector>

#include "lab/series.hpp"

namespace mallard::cli {

// Rows are allocators, columns numbers of threads, or chains, or figures; beside each table of
// figures how many times the best one's they are. Cells of other benches are left out.
std::string malloc_tables(const std::vector<lab::series_cell>& cells, bool colour);

}  // namespace mallard::cli
