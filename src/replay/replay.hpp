// Replays a recorded program's heap operations under every strategy and malloc: what would each
// gain?
//
//   profile::trace_reader trace("program.mallard");
//   replay_options options;
//   options.strategies = {"AS1", "AS3", "AS7"};
//   for (const replay_outcome& one : replay(trace, options)) …;
//
// Each measurement runs in its own process; repetitions are interleaved. The subsystem's operations
// go to the strategy's resource, all others to the global heap as recorded. docs/replay.md
// describes the method and its limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profile/subsystem_rules.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::replay {

// The order in which lanes wait for each other.
enum class replay_order {
  partial,   // a thread for each recorded one; it waits for blocks of other threads
  serial,    // one thread executes everything in the recorded order
  free_run,  // a thread for each recorded one; nobody waits
};
// The program's own work between operations.
enum class think_time {
  none,
  scaled,    // the recorded gaps, shortened to the total time of the operations
  recorded,  // the recorded gaps
};
// Accesses to a block besides allocating and freeing it.
enum class touch_level {
  none,
  first,  // its first byte is written when it is born
  all,    // it is written when it is born and read before it dies
  walk,   // as all; before each death all live blocks of the subsystem are read in order of birth
};
enum class heap_condition {
  clean,
  aged,  // by blocks of the trace's sizes, most of which are freed in random order
};

std::string_view to_string(replay_order order);
std::string_view to_string(think_time think);
std::string_view to_string(touch_level touch);
std::string_view to_string(heap_condition heap);

// The name of the whole program as a subsystem.
inline constexpr std::string_view whole_program = "(all)";

struct replay_options {
  profile::subsystem_options grouping = {};  // what a subsystem is
  std::vector<std::string> subsystems = {};  // empty: the program and its largest ones
  bool leaves_out_empty = false;             // otherwise refuses subsystems without operations
  std::vector<std::string> strategies = {};  // as find_run() names them; empty: all
  // Limits these subsystems to some of `strategies`.
  std::map<std::string, std::set<std::string>> strategies_of = {};
  std::vector<std::string> peers = {};         // "mallard", "std", "boost"; empty: all
  std::vector<std::string> mallocs = {"all"};  // "all", or names; empty: none
  std::vector<touch_level> touch = {touch_level::first, touch_level::walk};
  replay_order order = replay_order::partial;
  think_time think = think_time::none;
  heap_condition heap = heap_condition::aged;
  unsigned repetitions = 5;
  // Time limit for reading the trace and for all repetitions together. Each replay gets a part.
  // 0: no limit.
  double budget_seconds = 0;
  bool must_tell = true;  // the first two run at least once, however long that takes
  std::uint64_t seed = 1;
  std::filesystem::path program = {};  // the file to execute; empty: this program
  bool (*interrupted)() = nullptr;
};

// The remark of an outcome excluded by `strategies_of`.
inline constexpr std::string_view not_wanted = "it is no candidate here";

// The remark of an outcome for which no time was left.
inline constexpr std::string_view no_time_left = "there was no time left for it";

// The result for one strategy or malloc and one subsystem. Figures are for the subsystem's own
// operations: the cost of all others and of the loop is measured and subtracted.
struct replay_outcome {
  std::string subsystem;  // whole_program: all operations
  std::string strategy;   // "AS7@mallard", or a malloc's name, only for whole_program
  std::string touch;      // to_string(touch_level)
  double low = 0;         // speed-up over the global heap: 95 % interval of the median
  double median = 0;
  double high = 0;
  double memory = 0;          // peak resident bytes of the program's heap over the global heap's
  double seconds_global = 0;  // of the subsystem's operations on the global heap
  std::string remark;         // why there is no figure; empty: there is one
  std::string file = {};      // a malloc's library
  unsigned repetitions = 0;   // with a figure
};

// Throws lab's usage_error, with one line, for a trace that cannot be replayed: without stacks or
// threads, of another architecture, empty, or without the subsystem.
std::vector<replay_outcome> replay(profile::trace_reader& trace, const replay_options& options);

}  // namespace mallard::replay
