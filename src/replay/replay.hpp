// A recorded program's heap operations again, under every strategy and malloc: what each would
// gain.
//
//   profile::trace_reader trace("program.mallard");
//   replay_options options;
//   options.strategies = {"AS1", "AS3", "AS7"};
//   for (const replay_outcome& one : replay(trace, options)) …;
//
// Each measurement runs in a process of its own, repetitions are interleaved. The subsystem's
// operations go to the strategy's resource, the rest of the program's to the global heap as
// recorded. docs/replay.md says how, and what the figures leave out.
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
  partial,   // a thread for each recorded one; it waits where a block comes from another thread
  serial,    // one thread does everything in the recorded order
  free_run,  // a thread for each recorded one; nobody waits
};
// The program's own work between operations.
enum class think_time {
  none,
  scaled,    // the recorded gaps, made shorter so that they last as long as the operations
  recorded,  // the recorded gaps
};
// The accesses to a block besides allocating and freeing it.
enum class touch_level {
  none,
  first,  // its first byte is written when it is born
  all,    // it is written when it is born and read before it dies
  walk,   // the same, and what lives of the subsystem is read in the order of birth before a death
};
enum class heap_condition {
  clean,
  aged,  // by blocks of the trace's own sizes, most of which are freed again in random order
};

std::string_view to_string(replay_order order);
std::string_view to_string(think_time think);
std::string_view to_string(touch_level touch);
std::string_view to_string(heap_condition heap);

// The name of the subsystem that is the whole program.
inline constexpr std::string_view whole_program = "(all)";

struct replay_options {
  profile::subsystem_options grouping = {};  // what a subsystem is
  std::vector<std::string> subsystems = {};  // empty: the program and the largest of them
  bool leaves_out_empty = false;             // subsystems without operations; else refuses them
  std::vector<std::string> strategies = {};  // as find_run() names them; empty: all
  // Limits the subsystems named here to these of `strategies`.
  std::map<std::string, std::set<std::string>> strategies_of = {};
  std::vector<std::string> peers = {};         // "mallard", "std", "boost"; empty: all
  std::vector<std::string> mallocs = {"all"};  // "all", or names; empty: none
  std::vector<touch_level> touch = {touch_level::first, touch_level::walk};
  replay_order order = replay_order::partial;
  think_time think = think_time::none;
  heap_condition heap = heap_condition::aged;
  unsigned repetitions = 5;
  // Time that reading the trace and all repetitions may take together. Each replay gets its part of
  // it; the first two run at least once. 0: no limit.
  double budget_seconds = 0;
  std::uint64_t seed = 1;
  std::filesystem::path program = {};  // what is executed; empty: the one that runs
  bool (*interrupted)() = nullptr;
};

// The remark of an outcome that `strategies_of` leaves out.
inline constexpr std::string_view not_wanted = "it is no candidate here";

// The remark of an outcome whose replay the budget left no time for.
inline constexpr std::string_view no_time_left = "there was no time left for it";

// One strategy or malloc for one subsystem. The figures are of the subsystem's own operations: what
// the rest of the program takes, and the loop that replays, is measured and subtracted.
struct replay_outcome {
  std::string subsystem;  // whole_program: all operations
  std::string strategy;   // "AS7@mallard", or a malloc's name, which has figures for whole_program
  std::string touch;      // to_string(touch_level)
  double low = 0;         // times as fast as the global heap: 95 % interval of the median
  double median = 0;
  double high = 0;
  double memory = 0;          // peak resident bytes of the program's heap over the global heap's
  double seconds_global = 0;  // of the subsystem's operations on the global heap
  std::string remark;         // why there is no figure; empty: there is
  std::string file = {};      // of a malloc: its library
  unsigned repetitions = 0;   // of which there are figures
};

// Throws lab's usage_error, in one line, for what cannot be replayed: a trace without stacks or
// threads, of another architecture, an empty one, a subsystem that is not there.
std::vector<replay_outcome> replay(profile::trace_reader& trace, const replay_options& options);

}  // namespace mallard::replay
