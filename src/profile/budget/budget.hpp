// Purpose: the limits of a program's allocations, as a file kept beside it, and how a trace
// compares.
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
// or none in PATTERN, which means allocations in PATTERN <= 0. A tolerance may follow the number.
// The pattern is a regular expression that must occur in the name of a function on the stack, also
// of an inlined one. So a function's allocations include those of the functions it calls. Names of
// library functions have template arguments that tell the type: "make_unique<connection".
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
  bytes,        // requested in all
  allocations,  // blocks, with those of reallocations
  leaks,        // blocks alive at the end
  leaked,       // their bytes
  survivors,    // blocks that outlived the call of the function, or the scope, of their allocation
};

struct budget_rule {
  budget_measure what = budget_measure::peak;
  std::string pattern;    // empty: the whole program
  bool per_call = false;  // the most in one call, with everything it calls
  std::uint64_t limit = 0;
  std::uint64_t tolerance = 0;  // allowed excess, in the limit's unit
  unsigned line = 0;            // of the file
  std::string text;             // as written
};

// Throws std::runtime_error "NAME:LINE: ..." for a malformed rule.
std::vector<budget_rule> parse_budget(std::istream& text, const std::string& name);
// Also throws if the file cannot be read.
std::vector<budget_rule> read_budget(const std::string& path);

// The place that contributes most.
struct budget_place {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
};

// The most that one call took, or the survivors of all, lie between these bounds.
struct call_bounds {
  std::uint64_t least = 0, most = 0;

  bool exact() const { return least == most; }
};

struct budget_finding {
  budget_rule rule;
  // 0 if no stack has such a function but the program does. Not set if neither has, if the rule is
  // about calls and the function has none of its own, or if its calls cannot be told apart. Counts
  // as exceeded, because a rule whose function was renamed would otherwise hold for ever.
  std::optional<std::uint64_t> found = {};
  bool exact = true;        // otherwise a lower bound, or an upper bound if the rule is kept
  bool is_inlined = false;  // everywhere, so its calls cannot be told apart
  // The file that has such a function and no debug information, if only such files have one: it
  // may be inlined into functions on stacks.
  std::string may_be_inlined_in = {};
  std::size_t too_many = 0;  // functions with such a name; their calls are not followed
  // Calls cannot be told apart, or others freed blocks when a call may have been open, and that
  // matters.
  std::optional<call_bounds> unclear = {};
  // The recording lacks stacks, or parts of them, that might make the difference.
  std::optional<call_bounds> doubts = {};
  std::vector<std::string> nearest = {};  // similar names, if there is none
  std::optional<budget_place> where = {};

  bool kept() const {
    return found && (*found <= rule.limit || *found - rule.limit <= rule.tolerance);
  }
};

// Returns: one for each rule. Reads the events twice. Memory: as analyse(). `program`: its file,
// whose functions are known by name also if it did nothing that a trace could hold.
std::vector<budget_finding> check_budget(trace_reader& trace, const std::vector<budget_rule>& rules,
                                         const std::string& program = {});

// Effects: sets the limit of every rule that is kept with less to the value found; nothing else in
// the file changes. Returns: how many. Throws std::runtime_error; the file is then unchanged.
std::size_t tighten_budget(const std::string& path, const std::vector<budget_finding>& findings);

bool is_bytes(budget_measure what);
std::string_view to_string(budget_measure what);

}  // namespace mallard::profile
