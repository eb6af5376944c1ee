// Result files grouped into data sets: cells that may be compared with each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/results.hpp"

namespace mallard::report {

// One source file of a data set.
struct source {
  std::string file;
  lab::run_info run;
};

// Everything measured on one machine with one build, mode and number of leaf insertions.
struct dataset {
  std::string label;
  std::vector<source> sources;
  std::vector<lab::cell_result> cells;
};

struct merged_results {
  std::vector<dataset> datasets;   // in the order in which the files bring them up
  std::vector<std::string> notes;  // what the reader must know: cells replaced, lines cut off
};

// Throws std::runtime_error when a file is of a benchmark the report does not show, or when there
// is not one cell in all of them.
merged_results merge(std::span<const lab::result_file> files);

}  // namespace mallard::report
