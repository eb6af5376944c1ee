// Groups result files into data sets: cells that may be compared with each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/results/observation.hpp"
#include "lab/results/results.hpp"

namespace mallard::lab {

// A source file of a data set.
struct source {
  std::string file;
  run_info run;
};

// Everything measured on one machine with one build and mode, for any bench and malloc, but with
// equal parameters for each bench.
struct dataset {
  std::string label;
  std::vector<source> sources;
  std::vector<cell_result> cells;
};

struct merged_results {
  std::vector<dataset> datasets;   // in the order of the files
  std::vector<std::string> notes;  // for the reader: replaced cells, cut-off lines
};

// If several files have a cell, the latest file's counts. Throws std::runtime_error if there is no
// cell at all.
merged_results merge(std::span<const result_file> files);

// The cells of a data set in the form for judging claims.
std::vector<observation> observe(const dataset& set);

}  // namespace mallard::lab
