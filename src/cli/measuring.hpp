// What all benches do while they measure and when they are done: write each cell as it comes, show
// how far they are, and say where the results are.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/progress_bar.hpp"
#include "cli/result_writer.hpp"
#include "lab/bench_events.hpp"
#include "lab/results.hpp"

namespace mallard::cli {

// Cells of a resumed file that need not be measured again: good, with all their repetitions, which
// `repetitions_of` tells.
template <class Cell, class Count>
std::vector<Cell> complete_cells(const std::vector<Cell>& cells, unsigned repetitions,
                                 const Count& repetitions_of) {
  std::vector<Cell> complete;
  for (const Cell& one : cells) {
    if (one.ok() && repetitions_of(one) >= repetitions) complete.push_back(one);
  }
  return complete;
}

// `bench` measures what it is given the events for; each cell goes into the file and to the others.
template <class Cell, class Bench>
lab::bench_end measure_into(result_writer& writer, std::vector<Cell>& cells, const Bench& bench) {
  const interrupt_guard guard;
  progress_bar bar;
  return bench({.cell =
                    [&](const Cell& cell) {
                      writer.write(cell);
                      cells.push_back(cell);
                    },
                .step = [&](const lab::progress& now) { bar.show(now); },
                .interrupted = was_interrupted});
}

// A line for each failed cell, which `describe` names; returns whether there are any.
template <class Cell, class Describe>
bool report_failures(const std::vector<Cell>& cells, const Describe& describe) {
  bool any = false;
  for (const Cell& cell : cells) {
    if (cell.ok()) continue;
    any = true;
    fmt::print(stderr, "mallard: {} failed: {}\n", describe(cell), cell.error);
  }
  return any;
}

// The peer whose resources the tables show: the first one.
std::string main_peer(const lab::run_info& run);

// Where the results are, and what can be done with them.
void tell_results(const lab::run_info& run, const std::string& file);

}  // namespace mallard::cli
