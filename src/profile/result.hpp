// The result of a trace's analysis: plain numbers, for the terminal, JSON and the report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mallard::profile {

// Operations and bytes of the heap. Bytes are those requested, by allocations and reallocations.
struct heap_total {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t reallocations = 0;
  std::uint64_t failed = 0;  // that gave no memory; not among those above
  std::uint64_t bytes = 0;
  std::uint64_t peak_bytes = 0;   // the most that was live at once
  std::uint64_t peak_time = 0;    // ns
  std::uint64_t live_blocks = 0;  // when the recording ended: what was not freed
  std::uint64_t live_bytes = 0;
  std::uint64_t temporary = 0;      // allocations freed by their thread's very next operation
  std::uint64_t remote_frees = 0;   // by another thread than had allocated; moves, too
  std::uint64_t unknown_frees = 0;  // of blocks whose allocation was not recorded
  std::uint64_t moved_bytes = 0;    // that reallocations copied
};

// One dimension: by the documents' formula, and without a scale. Not set where the trace has not
// what it takes.
struct dimension {
  std::optional<double> literal;
  std::optional<double> scaled;
};

// The share of a program's processor time that its operations of the heap take. There is one for a
// program: `mallard dims`, the page and `mallard advise` say the same.
struct heap_share {
  double share = 0;
  double low = 0, high = 0;  // in 95 of 100 cases it lies between
  std::uint64_t looks = 0;   // samples of the processor's time that say so
  // It was measured on the program as it is. Else it is an estimate: by samples and timed
  // operations of the recorded run, in which each operation's surroundings are the recorder's.
  bool measured = false;
};

struct dimensions {
  dimension D, V, L, U, C, F;
};

// Frames, innermost first.
struct survivor_stack {
  std::vector<std::string> frames;
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

// A function below an arena scope most of whose blocks, there, outlive the scope.
struct keeping_function {
  std::string function;
  std::uint64_t blocks = 0;
  std::uint64_t survivors = 0;
};

// A function whose blocks are dead when it returns.
struct arena_scope {
  std::string function;
  std::string module;
  bool marked = false;  // in the source, by name
  // It is called once and holds nearly all that the program allocates: main under another name. An
  // arena there would be the program's exit.
  bool trunk = false;
  bool root = false;  // main, or a thread's function
  std::vector<std::uint32_t> threads;
  std::uint64_t invocations = 0;
  // Those of them told apart from the next only by the instant at which nothing lived.
  std::uint64_t by_instant = 0;
  std::uint64_t blocks = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t dead = 0;  // blocks freed before it returned
  double dead_share = 0;
  std::uint64_t median_bytes = 0, p99_bytes = 0, max_bytes = 0;       // of an invocation
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bytes_counts;  // bytes, invocations
  std::uint64_t max_blocks = 0;                                       // of an invocation
  std::uint64_t survivors = 0;
  std::vector<survivor_stack> survivor_stacks;  // the most blocks first
  std::vector<keeping_function> kept_by;        // likewise; those that most survivors come from
  // "high": frame addresses are known. "medium": they are, but most invocations are told apart by
  // the instant alone. "low": they are not, and invocations are guessed from the functions alone.
  std::string confidence;
};

// A loop of a function that is called once, as main is, at whose turns' ends nothing lives of what
// was asked for in them.
struct arena_loop {
  std::string function;
  std::string file;
  std::uint32_t first_line = 0, last_line = 0;  // of what was seen of it
  std::vector<std::uint32_t> threads;
  std::uint64_t turns = 0;
  std::uint64_t blocks = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t kept = 0;                                        // blocks that live on all the same
  std::uint64_t median_bytes = 0, p99_bytes = 0, max_bytes = 0;  // of a turn
};

struct window {
  std::uint64_t from = 0, until = 0;  // ns
  std::uint64_t allocations = 0, frees = 0, bytes = 0;
  std::uint64_t live_bytes = 0;  // when it ended
  std::uint64_t peak_bytes = 0;
  std::uint64_t cpu_ns = 0, allocation_ns = 0;  // as of a subsystem
  dimensions dims;
};

struct epoch_sum {
  std::uint64_t count = 0;                        // times that nothing of it was alive again
  std::uint64_t median_bytes = 0, max_bytes = 0;  // allocated in one
};

// The facts that the addresses alone tell about where a subsystem's blocks lie.
struct layout {
  std::uint64_t peak_bytes = 0;
  double page_diffusion =
      0;  // pages its blocks lie on at its peak, over the fewest they would need
  double line_diffusion = 0;     // the same of cache lines, at the program's peak
  double neighbours = 0;         // share of blocks within 128 bytes of the one born before
  double page_purity = 0;        // share of its bytes on its pages, at the program's peak
  std::uint64_t kept_bytes = 0;  // of pages kept by what lives at the end, without what lives
  std::string confidence;        // against the sizes of the caches
};

struct subsystem {
  std::string name;
  dimensions dims;
  heap_total total;
  std::uint64_t cpu_ns = 0;         // of its functions; 0: not recorded
  std::uint64_t heap_ns = 0;        // the part of it in the heap's operations, by `heap_share`
  std::uint64_t allocation_ns = 0;  // what these took in the recorded run, by those that were timed
  std::uint64_t looks = 0, looks_in_heap = 0;  // of the samples; several at once are one look
  std::uint64_t unique_sizes = 0;
  double effective_classes = 0;   // 2^H: how many size classes would pay
  std::uint64_t slack_bytes = 0;  // of size classes, four to a doubling
  std::vector<std::uint32_t> threads;
  epoch_sum epochs;
  layout where;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;      // bytes, allocations
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lifetimes;  // ns (2^n), blocks
  // (log2 of bytes, log2 of ns) -> blocks
  std::vector<std::vector<std::uint64_t>> size_by_lifetime;
  std::vector<window> windows;
};

// One row of `mallard top`.
struct site {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
  std::uint64_t bytes = 0, operations = 0, peak_bytes = 0, leaked_bytes = 0, leaked_blocks = 0,
                temporary = 0, cpu_ns = 0;
};

struct dims_result {
  std::string trace;
  std::vector<std::string> command;
  std::uint64_t pid = 0;
  std::uint64_t duration = 0;  // ns
  bool complete = true;
  std::vector<std::string> problems;
  std::vector<std::string> not_recorded;  // "times", "threads" ...: what an import lacks
  std::uint64_t threads = 0;
  std::uint64_t dropped = 0, waited_ns = 0;
  heap_total total;
  std::optional<heap_share> heap;  // not set: the processor's time is not known
  subsystem all;                   // the whole program
  std::string subsystems_by;
  std::vector<subsystem> subsystems;
  std::vector<arena_scope> arena_scopes;
  std::vector<arena_loop> loops;  // only where they were asked for; the most bytes first
  // By the number of a birth, what the scopes were found with: see invocation_tracker.
  std::vector<bool> kept_blocks;
  std::vector<std::uint64_t> cache_bytes;
};

}  // namespace mallard::profile
