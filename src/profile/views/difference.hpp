// Compares two recordings: what each function allocates in one and in the other.
//
//   trace_reader old_trace("old.trace"), new_trace("new.trace");
//   const program_sums before = sum_up(old_trace, false), after = sum_up(new_trace, false);
//   for (const site_change& one : changes(before, after)) …;
//
// Functions are equal if their names are, and on request their files and lines. So the two
// recordings may be of two builds.
#pragma once

#include <string>
#include <vector>

#include "profile/import/summed_profile.hpp"
#include "profile/result.hpp"
#include "profile/trace/trace_reader.hpp"
#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

struct program_sums {
  std::vector<std::string> command;
  std::uint64_t duration = 0;  // ns
  heap_total total;
  std::vector<site> sites;
  stack_profile stacks;
  bool has_stacks = true;
  std::vector<std::string> not_recorded;
};

// Reads the events twice. `least_share`: see make_stack_profile(). Memory: as analyse().
program_sums sum_up(trace_reader& trace, bool by_line, double least_share = 0);

program_sums sum_up(summed_profile program, bool by_line);

// A source position in both; the sums are zero where it does not occur.
struct site_change {
  site before, after;
  const site& any() const { return after.function.empty() ? before : after; }
};

// In the order of the places' names, unchanged ones included.
std::vector<site_change> changes(const program_sums& before, const program_sums& after);

// "main;parse 120 180\n" for each stack with that weight in either: before and after, as
// difffolded.pl writes it and flamegraph.pl draws it.
std::string to_collapsed_difference(const stack_profile& before, const stack_profile& after,
                                    const weight_kind& weight);

}  // namespace mallard::profile
