// Facts about the process that a trace holds besides its events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mallard::profile {

struct process_info {
  std::uint64_t pid = 0;
  std::uint64_t parent = 0;
  std::uint64_t started = 0;  // wall clock, ns since 1970
  std::vector<std::string> command = {};
  std::string recorder = {};  // which program and version wrote the trace
  std::string unwinder = {};  // how stacks were found
  // Stacks without main or a thread's function that have so many frames or more lost their
  // outermost ones; 0: none were cut.
  std::uint32_t stack_depth = 0;
  std::uint32_t sample_stacks = 1;  // one of n operations has a stack
  std::uint64_t cpu_sample_ns = 0;  // processor time from one sample to the next; 0: no samples
  std::uint64_t page_bytes = 4096;
  std::uint64_t line_bytes = 64;
  std::vector<std::uint64_t> cache_bytes = {};  // of the machine, the first level first
  // Facts that the trace does not hold: "the start"; of an imported one also "times", "threads",
  // "addresses", "frees", ...
  std::vector<std::string> not_recorded = {};
  std::string architecture = {};  // of the machine, as uname says it; empty: not known
  std::uint64_t clock_ps = 0;     // what of each cost was reading the clock, picoseconds
  std::uint64_t begins = 0;       // its first moment: later than 0 in a part cut out of a trace

  friend bool operator==(const process_info&, const process_info&) = default;
};

// A loaded part of a module: addresses relative to the load bias.
struct segment {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const segment&, const segment&) = default;
};

struct module_info {
  std::uint64_t time = 0;  // when it was loaded
  std::uint64_t unloaded = UINT64_MAX;
  std::string path = {};
  std::string build_id = {};  // bytes, not text; may be empty
  std::uint64_t load_bias = 0;
  std::vector<segment> segments = {};
  // Stacks with ids from first_stack to before last_stack were recorded while it was loaded, so
  // that an address means the right one of two modules that lay there one after the other. The
  // writer sets both.
  std::uint32_t first_stack = 0;
  std::uint32_t last_stack = UINT32_MAX;

  friend bool operator==(const module_info&, const module_info&) = default;
};

struct thread_info {
  std::uint32_t id = 0;   // small numbers, in the order of their first event
  std::uint64_t tid = 0;  // the system's
  std::string name = {};
  std::uint64_t started = 0;
  std::uint64_t ended = UINT64_MAX;

  friend bool operator==(const thread_info&, const thread_info&) = default;
};

// The thing an id names: an entry point, a scope marked in the source, a memory resource.
enum class name_kind : std::uint8_t { function, scope, resource };

// Events that a thread lost, and the time it waited.
struct loss_info {
  std::uint32_t thread = 0;
  std::uint64_t dropped = 0;    // events
  std::uint64_t waited_ns = 0;  // for a buffer

  friend bool operator==(const loss_info&, const loss_info&) = default;
};

// The part of the process's memory that was in RAM, sampled.
struct resident_sample {
  std::uint64_t time = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const resident_sample&, const resident_sample&) = default;
};

// The end of the process, if the recorder saw it; or it went on when its recording ended.
enum class end_kind : std::uint8_t { unknown, exited, killed, replaced, went_on };

struct end_info {
  std::uint64_t time = 0;
  end_kind how = end_kind::unknown;
  std::uint32_t status = 0;  // exit status, or the signal's number

  // Whether the process may have done more.
  bool is_early() const { return how == end_kind::unknown || how == end_kind::went_on; }
  friend bool operator==(const end_info&, const end_info&) = default;
};

}  // namespace mallard::profile
