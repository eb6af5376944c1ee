// A living program, with some of its blocks from a resource of ours: what would that gain?
//
//   whatif_options options;
//   options.command = {"./server", "--requests", "10000"};
//   options.variants = {{"requests", {{"function:handle_request", "monotonic"}}}};
//   for (const whatif_outcome& one : try_whatif(options).outcomes) …;
//
// The program runs interleaved as it is, with the hook alone (blocks are found as for the routes of
// a variant, and our malloc serves them: by what it is slower than that malloc is subtracted), with
// the routes of each variant, and on other mallocs. docs/replay.md says how, and what the figures
// leave out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whatif/heap_sampler.hpp"
#include "whatif/program_runner.hpp"

namespace mallard::whatif {

// Blocks that match `pattern` come from a resource of their own. The pattern is one or more
// conditions joined by `+`, all of which have to hold:
//   function:REGEX   the name of a function on the stack matches; also without `function:`
//   line:FILE:FIRST-LAST  a function on the stack is in these lines, as those of a loop
//   scope:NAME       inside MALLARD_SCOPE(NAME) of mallard/profile.hpp
//   module:GLOB      the innermost function outside the C and C++ runtime is of such a file
//   size:LOW-HIGH    of so many bytes, both included
// The strategy is one of "monotonic", "multipool", "multipool-on-monotonic", "heap",
// "adaptive-pool".
struct whatif_route {
  std::string pattern;
  std::string strategy;
};

// Routes that are tried together; the first one that matches a block takes it.
struct whatif_variant {
  std::string name;
  std::vector<whatif_route> routes;
  std::string malloc = {};  // name or file: it serves all that is not routed; empty: the program's
};

struct whatif_options {
  std::vector<std::string> command;
  std::vector<whatif_variant> variants;
  std::vector<std::string> mallocs = {};  // names or files of mallocs that are tried, too
  unsigned repetitions = 10;
  // Ends a variant that is clearly behind the fastest or behind the program as it is; ends all when
  // the fastest is alone and was compared often enough. `repetitions` is then the most.
  bool races = false;
  // Seconds in which the repetitions end: none begins that would take longer; 0: no limit. Where
  // that leaves time for none, the first runs, which find out what is where, are counted.
  double time_budget = 0;
  double last_start = 0;  // seconds after which no way runs for the first time; 0: none
  // Started while this process was small, for the same command; null: one of its own. Peaks of
  // memory can be compared where one runner ran all of it.
  program_runner* runner = nullptr;
  // Figures of one run of the program as it is: each variant then runs once, and it does not again.
  std::optional<run_figures> as_it_was = {};
  // Samples of the program as it is; not set: it runs for them, if there are variants. None: it
  // cannot be sampled.
  std::optional<heap_looks> looks = {};
  // An ideal malloc runs, too: few allocators gain more than it does.
  bool with_ideal = false;
  bool refuses_unmet = true;    // a pattern that matches nothing; else its variant has no figures
  bool names_survivors = true;  // in the first runs, which take longer for that
  bool check_output = false;    // a variant that writes or ends differently has no figures
  bool by_frame_pointers = false;  // stacks are found by frame pointers, else by tables
  std::string library = {};        // libmallard-route.so; empty: beside this program
  std::string own_malloc = {};     // libmallard-malloc.so, likewise
  std::uint64_t seed = 1;
  bool (*interrupted)() = nullptr;  // as of program_runner, where `runner` is null
};

// Outcome of a route in its last run.
struct route_outcome {
  std::string pattern;
  std::string strategy;
  std::uint64_t blocks = 0;           // that it served
  std::uint64_t bytes = 0;            // that were asked for
  std::uint64_t passed_on = 0;        // that it could not serve: the program's own malloc did
  std::uint64_t peak_bytes = 0;       // memory that it held at most
  std::uint64_t resets = 0;           // monotonic: ends of a scope where nothing lived any more
  std::uint64_t survivors = 0;        // monotonic: blocks that lived on when their scope had ended
  std::uint64_t freed_elsewhere = 0;  // by other threads, before their scope had ended
  std::vector<std::string> survivor_names = {};  // the functions that asked for them, most first
};

struct interval_of_runs {
  double low = 0;  // 95 % interval of the median
  double median = 0;
  double high = 0;
  std::vector<double> samples = {};  // one of each run
};

// The number that the runner found in what each run wrote. It is compared with the run of the same
// round as it is; of a routed one also with that of the hook alone.
struct metric_of_runs {
  interval_of_runs value;
  interval_of_runs share;  // of what it is there
};

struct whatif_outcome {
  // "as it is", the variant's name, or the malloc's; "hook alone on mallard", or where the program
  // does not do on that malloc as it does on its own, "hook alone".
  std::string variant;
  std::string remark;  // why there are no figures, or none but the runs'; empty: there are
  // Times as fast as the program as it is; for a variant with routes, the hook's cost subtracted,
  // and how far that may be wrong is in the interval.
  double low = 0;
  double median = 0;
  double high = 0;
  std::vector<double> gains = {};           // of each round in which that can be told
  double memory = 0;                        // peak resident set over that of the program as it is
  interval_of_runs seconds = {};            // from start to end, nothing subtracted
  interval_of_runs processor_seconds = {};  // of the program and its children
  interval_of_runs resident_bytes = {};     // at the peak
  interval_of_runs page_faults = {};
  std::optional<metric_of_runs> metric = {};
  unsigned runs = 0;
  bool fell_behind = false;  // in a race: it was run no more
  bool is_control = false;   // the hook alone
  bool in_turns = false;     // its resource served every other turn, and nothing is subtracted
  std::vector<route_outcome> routes = {};
};

struct whatif_result {
  std::vector<whatif_outcome> outcomes;  // "as it is" first, then "hook alone" if a way needed it
  std::optional<whatif_outcome> ideal = {};  // of the faster of two; not set: it did not run
  double hook_seconds = 0;                   // what was subtracted, of the first variant
  bool by_processor_time = true;  // the gains are; else by elapsed time: several threads work
  int status = 0;                 // of the program as it is, as of waitpid
};

// Throws std::runtime_error with one line for what cannot be tried: no such program, a static or
// privileged one, a pattern that matches nothing (with the nearest names), no such strategy.
whatif_result try_whatif(const whatif_options& options);

}  // namespace mallard::whatif
