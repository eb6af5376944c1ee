// The output of `mallard advise`: plain data, for the terminal, JSON, markdown and the page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/declaration.hpp"
#include "profile/result.hpp"
#include "strategy/strategy.hpp"

namespace mallard::advise {

// Times as fast: of the median, with its 95 % interval.
struct interval {
  double low = 1;
  double median = 1;
  double high = 1;
};

// Another container that allocates in a place, at the user's own line. `below`: the functions that
// it is called through.
struct container_use {
  container_type container;
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::string> below = {};
};

// The place in the source that allocates most of a subsystem's bytes.
struct code_place {
  std::string subsystem;  // as `mallard dims` names it; empty: the whole program
  std::string function;   // where the resource would be declared; empty: not known
  std::string file;
  std::uint32_t line = 0;
  std::string type;               // of the elements that are allocated there; empty: not known
  bool is_cpp = true;             // the function that allocates has a name of C++
  container_type container = {};  // that allocates
  bool calls_malloc = false;      // the program's own code does there, and no container allocates
  std::optional<changed_line> change = {};  // of its declaration, in `file`
  std::vector<container_use> others = {};   // the heaviest first, each container once
  // The function itself asks for the blocks, with what is inlined in it or of a library's headers.
  bool asks_itself = true;
};

// Lines of a function: a loop at whose turns' ends an arena can be released.
struct code_lines {
  std::string file;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// One figure that speaks for it, or says how much there is to gain.
struct evidence {
  std::string what;  // "D", "arena scope", ...
  std::string says;
};

// Something that could make advice wrong.
struct doubt {
  std::string says;
  unsigned steps = 0;          // that it lowers the confidence in a prediction by
  bool of_prediction = false;  // about the replay or the recording: a proof removes it
};

// A strategy for a subsystem, before anything was replayed.
struct candidate {
  strategy how = strategy::global;
  std::string malloc;            // switch_malloc: its name
  std::string malloc_file = {};  // and its library
  code_place where;
  std::vector<evidence> because;
  std::vector<doubt> doubts;
  std::string refused;            // the guard that speaks against it; empty: none does
  std::uint64_t first_bytes = 0;  // what the resource should begin with; 0: as it wants
  bool one_for_each_thread = false;
  bool may_wink_out = false;
  bool calls_may_be_turns = false;      // of a loop in the function: a recording shows the same
  bool ends_with_call = true;           // an arena: its blocks are dead when the function returns
  std::optional<code_lines> loop = {};  // in the function; an arena is released with each turn
  // Functions below an arena's whose blocks outlive it: they stay with the program's malloc.
  std::vector<std::string> kept_by = {};
  // No allocator can make the program more times as fast than this.
  double bound = 1;
  std::uint64_t allocation_ns = 0;  // of the subsystem, in the recorded run
  std::uint64_t placement_ns = 0;   // that it may lose by where its blocks lie
};

// A number that the program or its load writes, as a latency: the smaller the better.
struct metric_figures {
  double value = 0;  // in the median
  interval share;    // of what it is without the way; as of trial_figures
};

// The result of a trial on the living program.
struct trial_figures {
  interval times;     // of the whole program; of one run there is no interval: all three are it
  unsigned runs = 0;  // that it was compared in
  double memory = 1;  // peak resident bytes over those of the program as it is
  std::optional<metric_figures> metric = {};
  bool in_turns = false;  // within each run, see whatif_outcome
};

struct advice {
  std::string what;  // in one sentence
  candidate from;
  interval gain;           // of the whole program; it orders alone where it is not told
  std::string untold;      // why its gain is not predicted; empty: it is
  interval of_operations;  // of the subsystem's own operations, as replayed
  unsigned replays = 0;    // that it was compared in; of one there is no interval
  double memory = 1;       // peak resident bytes over those of the program as it is; 0: not known
  std::string confidence;  // "high", "medium", "low"
  std::string code;        // what to write, C++ or shell; empty: nothing
  std::optional<trial_figures> tried;
  std::string tried_remark;  // why it was not, or could not be
  // The same with another malloc for the rest of the program, where both gain.
  std::string beside_malloc = {};
  std::optional<trial_figures> tried_beside_malloc = {};
};

// Whether it is a malloc that anybody takes to be faster, or none.
inline bool is_for_speed(std::string_view malloc) {
  return !malloc.ends_with("-hardened");
}

// The whole program's gain; not set where it is not predicted.
inline std::optional<interval> told_gain(const advice& one) {
  return one.untold.empty() ? std::optional(one.gain) : std::nullopt;
}
inline std::optional<double> told_memory(const advice& one) {
  return one.memory > 0 ? std::optional(one.memory) : std::nullopt;
}

// A way that was looked at and is not advised.
struct considered {
  candidate from;
  std::optional<interval> gain;  // of the whole program; not set: it is not predicted
  std::optional<double> memory;
  std::string why_not;
  std::optional<trial_figures> tried = {};
};

// A strategy or malloc, replayed for a subsystem.
struct replayed_cell {
  std::string subsystem;                  // empty: the whole program
  std::string strategy;                   // as replays name it, or the malloc
  std::string touch;                      // how its blocks were touched
  std::optional<interval> of_operations;  // times as fast as on the global heap; not set: `remark`
  double memory = 0;                      // 0: not known
  std::string remark;                     // why there is no figure
};

// The strategies of a part, the best first, at a level of touching its blocks (docs/replay.md)
// where another one wins than at the level that the advice goes by.
struct level_ranking {
  struct place {
    std::string strategy;
    double times;  // as fast: its operations, with reading its blocks
  };
  std::string subsystem;  // empty: the whole program
  std::string touch;
  std::vector<place> order;
  std::string says;  // in one line
};

struct advice_report {
  std::string trace;
  std::vector<std::string> command;
  std::uint64_t duration_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t allocations = 0;
  std::uint64_t peak_bytes = 0;
  std::optional<profile::heap_share> heap;  // how much of the program's time is the heap's
  // The gain of an ideal malloc, or of a way that was tried, where that gained more; not set: it
  // did not run.
  std::optional<trial_figures> bound;
  std::string bound_of;              // the way that gained more; empty: the ideal malloc
  std::string metric;                // the pattern of the number that was compared; empty: none
  double metric_as_it_is = 0;        // in the median of its runs beside what was tried
  double resident_as_it_is = 0;      // its peak resident bytes, likewise; 0: nothing was tried
  double reading_seconds = 0;        // that it took to read the trace once
  unsigned program_runs = 0;         // how often the program was run for this
  bool on_the_program = false;       // the best were tried on the living program
  bool proved = false;               // the first was, often enough
  std::string proof;                 // in one sentence: how far the first is proved
  std::string died_of;               // the signal that ends the program as it is; empty: none
  std::vector<std::string> remarks;  // what holds for all of it
  std::vector<advice> advices;       // the best first; one at least, which may be to leave it
  std::vector<considered> others;
  std::vector<replayed_cell> replays;
  std::vector<level_ranking> rankings;
};

}  // namespace mallard::advise
