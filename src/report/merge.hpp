// Result files grouped into data sets: cells that may be compared with each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/observation.hpp"
#include "lab/results.hpp"

namespace mallard::report {

// One source file of a data set.
struct source {
  std::string file;
  lab::run_info run;
};

// A cell of Benchmark I and the malloc it ran under.
struct density_cell : lab::cell_result {
  std::string malloc;
};

// Everything measured on one machine with one build and mode, whichever the bench and the malloc.
// Of Benchmark I, also of one number of leaf insertions.
struct dataset {
  std::string label;
  std::vector<source> sources;
  std::vector<density_cell> cells;
  std::vector<lab::series_cell> series;
};

struct merged_results {
  std::vector<dataset> datasets;   // in the order in which the files bring them up
  std::vector<std::string> notes;  // what the reader must know: cells replaced, lines cut off
};

// Throws std::runtime_error when there is not one cell in all of them.
merged_results merge(std::span<const lab::result_file> files);

// The cells of a data set in the form that claims are judged by.
std::vector<lab::observation> observe(const dataset& set);

}  // namespace mallard::report
