// Purpose: what a program may allocate, as a file that is kept beside it, and what a trace says of
// it.
//
//   # at most 32 MiB at once, and nothing of the cache leaks
//   peak <= 32 MiB
//   allocations in parse_request <= 1000
//   leaks in cache::insert <= 0
//   survivors of handle_request <= 0
//   allocations per call of handle_request <= 40 +10 %
//   none in audio_callback
//
//   const std::vector<budget_rule> rules = read_budget("heap.budget");
//   for (const budget_finding& one : check_budget(trace, rules)) …;
//
// A line is MEASURE <= NUMBER, MEASURE in PATTERN <= NUMBER, MEASURE per call of PATTERN <= NUMBER,
// or none in PATTERN, which is allocations in PATTERN <= 0. The number may have a tolerance behind
// it. The pattern is a regular expression that is looked for in the names of the functions on the
// stack, inlined ones too, so what a function allocates is what it does below it as well; with the
// library's functions, whose template arguments say which type it is: "make_unique<connection".
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

enum class budget_measure : std::uint8_t {
  peak,         // bytes live at once
  bytes,        // requested, all in all
  allocations,  // blocks, those of reallocations too
  leaks,        // blocks that live at the end
  leaked,       // bytes of them
  survivors,    // blocks that outlived the call of the function, or the scope, they were made in
};

struct budget_rule {
  budget_measure what = budget_measure::peak;
  std::string pattern;    // empty: the whole program
  bool per_call = false;  // the most that one call takes, with what it calls
  std::uint64_t limit = 0;
  std::uint64_t tolerance = 0;  // by how much more it may be; a unit as the limit
  unsigned line = 0;            // of the file
  std::string text;             // as written
};

// Throws std::runtime_error "NAME:LINE: ..." for what is no rule.
std::vector<budget_rule> parse_budget(std::istream& text, const std::string& name);
// The same, and for a file that cannot be read.
std::vector<budget_rule> read_budget(const std::string& path);

// The place that allocates most of what was found.
struct budget_place {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
};

// Between these is the most that one call took.
struct call_bounds {
  std::uint64_t least = 0, most = 0;

  bool exact() const { return least == most; }
};

struct budget_finding {
  budget_rule rule;
  // Not set: no function of the trace has such a name, or it has no calls of its own and the rule
  // is about calls, or these cannot be told apart. A rule whose function was renamed would hold for
  // ever, so that is no better than too much.
  std::optional<std::uint64_t> found = {};
  bool exact = true;         // else it is no less, or where the rule is kept no more
  bool is_inlined = false;   // where it is met, so that nothing tells its calls apart
  std::size_t too_many = 0;  // functions of such a name, to follow their calls
  std::optional<call_bounds> unclear = {};  // calls that cannot be told apart, and it matters
  std::vector<std::string> nearest = {};    // names, where there is none
  std::optional<budget_place> where = {};

  bool kept() const {
    return found && (*found <= rule.limit || *found - rule.limit <= rule.tolerance);
  }
};

// One for each rule. Reads the events twice. Memory: as analyse().
std::vector<budget_finding> check_budget(trace_reader& trace,
                                         const std::vector<budget_rule>& rules);

// Effects: every rule that is kept with less gets what was found as its limit; nothing else in the
// file changes. Returns: how many. Throws std::system_error, and the file is as it was.
std::size_t tighten_budget(const std::string& path, const std::vector<budget_finding>& findings);

bool is_bytes(budget_measure what);
std::string_view to_string(budget_measure what);

}  // namespace mallard::profile
