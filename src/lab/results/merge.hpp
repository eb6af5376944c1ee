// Result files grouped into data sets: cells that may be compared with each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/results/observation.hpp"
#include "lab/results/results.hpp"

namespace mallard::lab {

// One source file of a data set.
struct source {
  std::string file;
  run_info run;
};

// Everything measured on one machine with one build and mode, whichever the bench and the malloc;
// of each bench with the same parameters.
struct dataset {
  std::string label;
  std::vector<source> sources;
  std::vector<cell_result> cells;
};

struct merged_results {
  std::vector<dataset> datasets;   // in the order in which the files bring them up
  std::vector<std::string> notes;  // what the reader must know: cells replaced, lines cut off
};

// For a cell that several files have, the later file's counts. Throws std::runtime_error when there
// is not one cell in all of them.
merged_results merge(std::span<const result_file> files);

// The cells of a data set in the form that claims are judged by.
std::vector<observation> observe(const dataset& set);

}  // namespace mallard::lab
