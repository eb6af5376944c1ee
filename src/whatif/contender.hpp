// The ways in which a program runs in an experiment, and their figures so far.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/measuring/statistics.hpp"
#include "process/process.hpp"
#include "route/session.hpp"
#include "whatif/heap_sampler.hpp"
#include "whatif/program_runner.hpp"
#include "whatif/whatif.hpp"

namespace mallard::whatif {

// One of these ways.
struct contender {
  std::string name;
  process::environment set;
  bool hooked = false;
  std::vector<whatif_route> routes = {};
  std::vector<route::route_rule> rules = {};
  std::string remark = {};
  run_figures first = {};    // its first run, which counts only where no other does
  bool has_run = false;      // for the first time
  bool names_first = false;  // the first run also names survivors, which takes longer
  bool only_named = false;   // and no other counts
  std::vector<run_figures> runs = {};
  heap_looks looks = {};  // of runs like these; the hook and what it serves count as the heap
  std::vector<route_outcome> of_routes = {};
  std::vector<std::vector<std::string>> survivors = {};  // by route: who requested them
  bool fell_behind = false;
  bool ideal = false;  // an ideal malloc, and the bound of all others
  // Through the hook as those do whose `control` it is, but a malloc serves all blocks: by as much
  // as it is slower than `below`, the program on that malloc, they are slower than they would be.
  bool is_control = false;
  std::size_t control = 0;
  std::size_t below = 0;
  // Its resource and the malloc of `below` serve in turns, and it needs no control: by what the
  // resource saves of each run, by groups of turns, it is faster than `below`.
  bool in_turns = false;
  std::vector<std::vector<double>> saved = {};  // by run
  std::vector<double> first_saved = {};         // of `first`, where there was no time for more
  double hook_bytes = 0;  // that are in its first run, in which its resource serves all

  // Where its first run counts, too.
  void count_first() {
    runs = {first};
    if (!first_saved.empty()) saved = {first_saved};
  }
};

inline constexpr std::size_t as_it_is = 0;
inline constexpr std::size_t hook_alone = 1;

template <class Figure>
std::vector<double> each(const std::vector<run_figures>& runs, Figure figure) {
  std::vector<double> out;
  out.reserve(runs.size());
  for (const run_figures& one : runs) out.push_back(static_cast<double>(one.*figure));
  return out;
}

template <class Figure>
double median_of(const std::vector<run_figures>& runs, Figure figure) {
  return lab::median(each(runs, figure));
}

}  // namespace mallard::whatif
