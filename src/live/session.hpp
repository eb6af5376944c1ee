// Purpose: the memory shared by a counted process and `mallard live`: how much each thread
// allocates, and from where. It is an anonymous file that the process makes. `mallard live` finds
// the process's descriptor of it in /proc.
//
// Operations and bytes by thread are exact. Figures by function come from samples, one for every so
// many bytes. A sample stands for the blocks that were likely to be missed. So sums over samples
// are right on average, and their error follows from the number of samples.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "preload/session.hpp"

namespace mallard::live {

inline constexpr preload::session_kind session_kind{0x3165'7669'4c4c'4c4dU, "mallard-live",
                                                    nullptr};

inline constexpr std::size_t most_threads = 2048;  // at the same time
inline constexpr std::size_t most_modules = 1024;
inline constexpr std::uint32_t most_sites = std::uint32_t{1} << 16;
inline constexpr std::size_t path_bytes = 512;
inline constexpr unsigned module_shift = 40;

// The mean number of units between samples. An allocation counts its bytes and some more, so that
// small blocks are sampled, too.
inline constexpr std::uint64_t mean_distance = std::uint64_t{32} << 10;
inline constexpr std::uint64_t units_of_call = 64;

// Counts of one thread, the only writer, so that counting is a plain addition.
struct alignas(64) thread_counts {
  std::atomic<std::uint32_t> tid;  // 0: free slot
  std::atomic<std::uint64_t> allocations;
  std::atomic<std::uint64_t> bytes;  // requested
  std::atomic<std::uint64_t> frees;
};

// A stack: its innermost frame, and its caller's stack. Counts are for allocations with exactly
// this stack.
struct site {
  std::atomic<std::uint64_t>
      address;  // module number + 1 above module_shift, offset in the module below; 0: in no module
  std::uint32_t parent;                    // 0: it is the outermost frame
  std::atomic<std::uint64_t> allocations;  // estimated; in sixteenths
  std::atomic<std::uint64_t> bytes;        // estimated
  std::atomic<std::uint64_t> freed_blocks;
  std::atomic<std::uint64_t> freed_bytes;
};

struct module_path {
  char text[path_bytes];
};

// Distinguishes a preloaded library from one loaded into a running process.
enum class attachment : std::uint32_t {
  none,  // preloaded
  on,
  over,  // detached: the program calls its own functions again
};

// Sites are numbered from 1; site 0 has the allocations without a known stack.
struct session : preload::session_head {
  std::uint32_t pid;
  std::atomic<attachment> attached;
  std::atomic<std::uint32_t> watcher;  // the process that attached them; removes them at its end
  std::uint64_t started;               // ns, CLOCK_MONOTONIC
  std::atomic<std::uint32_t> thread_count;  // later slots were never used
  std::atomic<std::uint32_t> module_count;
  std::atomic<std::uint32_t> site_count;
  std::atomic<std::uint64_t> not_kept;  // samples whose frees will not be noticed
  thread_counts ended;                  // sums of ended threads
  thread_counts others;  // sums of threads without a slot, which all write here; inexact
  module_path modules[most_modules];
  thread_counts threads[most_threads];
  site sites[most_sites];
};

inline constexpr std::uint64_t blocks_unit = 16;

// The library takes at most so much address space.
inline constexpr std::size_t agent_bytes = std::size_t{256} << 20;
static_assert(sizeof(session) < agent_bytes / 2);

}  // namespace mallard::live
