// The result of an analysis: plain numbers for the terminal, JSON and the report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mallard::profile {

// Operations and bytes of the heap. Bytes are those requested by allocations and reallocations.
struct heap_total {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t reallocations = 0;
  std::uint64_t failed = 0;  // not counted above
  std::uint64_t bytes = 0;
  std::uint64_t peak_bytes = 0;   // the most that was live at once
  std::uint64_t peak_time = 0;    // ns
  std::uint64_t live_blocks = 0;  // not freed when the recording ended
  std::uint64_t live_bytes = 0;
  std::uint64_t temporary = 0;      // freed by their thread's next operation
  std::uint64_t remote_frees = 0;   // frees and moves by another thread than the allocator
  std::uint64_t unknown_frees = 0;  // of blocks whose allocation was not recorded
  std::uint64_t moved_bytes = 0;    // copied by reallocations
};

// One dimension: by the documents' formula, and independent of the recording's length. Not set if
// the trace lacks the data.
struct dimension {
  std::optional<double> literal;
  std::optional<double> scaled;
};

// The share of a program's processor time in its heap operations. `mallard dims`, the page and
// `mallard advise` show the same one.
struct heap_share {
  double share = 0;
  double low = 0, high = 0;  // the 95 % interval
  std::uint64_t looks = 0;   // samples of the processor time behind it
  // Measured on the program without a recorder. Otherwise estimated from samples and timed
  // operations of the recorded run, where the recorder's work surrounds each operation.
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
  std::uint32_t stack = 0;  // its number in the trace
};

// A function below an arena scope whose blocks there mostly outlive the scope.
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
  // Called once and holds nearly all that the program allocates: main under another name. An arena
  // there would live until the program exits.
  bool trunk = false;
  bool root = false;  // main, or a thread's function
  std::vector<std::uint32_t> threads;
  std::uint64_t invocations = 0;
  // Invocations separated from the next only by an instant at which nothing lived.
  std::uint64_t by_instant = 0;
  std::uint64_t blocks = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t dead = 0;  // blocks freed before it returned
  double dead_share = 0;
  std::uint64_t median_bytes = 0, p99_bytes = 0, max_bytes = 0;       // of an invocation
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bytes_counts;  // bytes, invocations
  std::uint64_t max_blocks = 0;                                       // of an invocation
  std::uint64_t survivors = 0;
  std::uint64_t survivors_guessed = 0;  // of them; others freed these when it may have been open
  std::vector<survivor_stack> survivor_stacks;  // those with the most blocks first
  std::vector<keeping_function> kept_by;        // likewise; the sources of most survivors
  // "high": frame addresses are known. "medium": they are known, but most invocations are separated
  // only by an instant. "low": they are unknown, and invocations are guessed from the functions.
  std::string confidence;
};

// A loop of a function that is called once, such as main. At the end of each turn nothing allocated
// in the turn lives.
struct arena_loop {
  std::string function;
  std::string file;
  std::uint32_t first_line = 0, last_line = 0;  // as far as they were seen
  std::vector<std::uint32_t> threads;
  std::uint64_t turns = 0;
  std::uint64_t blocks = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t kept = 0;                                        // blocks that outlive their turn
  std::uint64_t median_bytes = 0, p99_bytes = 0, max_bytes = 0;  // of a turn
};

struct window {
  std::uint64_t from = 0, until = 0;  // ns
  std::uint64_t allocations = 0, frees = 0, bytes = 0;
  std::uint64_t live_bytes = 0;  // at its end
  std::uint64_t peak_bytes = 0;
  std::uint64_t cpu_ns = 0, allocation_ns = 0;  // as in a subsystem
  dimensions dims;
};

struct epoch_sum {
  std::uint64_t count = 0;                        // how often nothing of it was alive any more
  std::uint64_t median_bytes = 0, max_bytes = 0;  // allocated in one
};

// Facts from addresses about where a subsystem's blocks lie.
struct layout {
  std::uint64_t peak_bytes = 0;
  double page_diffusion = 0;     // pages of its blocks at its peak, over the fewest needed
  double line_diffusion = 0;     // the same for cache lines, at the program's peak
  double neighbours = 0;         // share of blocks within 128 bytes of the previously born one
  double page_purity = 0;        // its share of the bytes on its pages, at the program's peak
  std::uint64_t kept_bytes = 0;  // on pages with a live block at the end, without the live bytes
  std::string confidence;        // by comparison with the cache sizes
};

struct subsystem {
  std::string name;
  dimensions dims;
  heap_total total;
  std::uint64_t cpu_ns = 0;         // in its functions; 0: not recorded
  std::uint64_t heap_ns = 0;        // the part of it in heap operations, by `heap_share`
  std::uint64_t allocation_ns = 0;  // of the heap operations in the recorded run, by the timed ones
  std::uint64_t looks = 0, looks_in_heap = 0;  // samples; several at the same time count once
  std::uint64_t unique_sizes = 0;
  double effective_classes = 0;   // 2^H: how many size classes would be useful
  std::uint64_t slack_bytes = 0;  // by size classes, four to a doubling
  std::vector<std::uint32_t> threads;
  epoch_sum epochs;
  layout where;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;      // bytes, allocations
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lifetimes;  // ns (2^n), blocks
  // (log2 of bytes, log2 of ns) -> blocks
  std::vector<std::vector<std::uint64_t>> size_by_lifetime;
  std::vector<window> windows;
};

// A row of `mallard top`.
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
  std::vector<std::string> not_recorded;  // "the start"; "times" ... of an import
  std::uint64_t threads = 0;
  std::uint64_t dropped = 0, waited_ns = 0;
  heap_total total;
  std::optional<heap_share> heap;  // not set: the processor time is unknown
  subsystem all;                   // the whole program
  std::string subsystems_by;
  std::vector<subsystem> subsystems;
  std::vector<arena_scope> arena_scopes;
  std::vector<arena_loop> loops;  // only on request; the most bytes first
  // Used to find the scopes, by number of birth: see invocation_tracker.
  std::vector<bool> kept_blocks;
  std::vector<std::uint64_t> cache_bytes;
};

}  // namespace mallard::profile
