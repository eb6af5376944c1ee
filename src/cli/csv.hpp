// Result files as CSV, for spreadsheets and statistics programs.
#pragma once

#include <string>

#include "lab/results/results.hpp"

namespace mallard::cli {

// One line per cell and measure, with a column for each coordinate that any cell has. A cell of
// Benchmark I has the coordinates ds and size and the measures seconds and rss.
std::string to_csv(const lab::result_file& results);

}  // namespace mallard::cli
