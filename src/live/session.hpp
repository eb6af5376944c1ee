// Purpose: what a counted process and `mallard live` share: how much each thread allocates, and
// from where. The memory is an anonymous file that the process itself makes; it keeps a descriptor
// of it, by which `mallard live` finds it in /proc.
//
// The numbers of operations and bytes are exact. What is known by function comes from samples: one
// for every so many bytes, each of which stands for as much as it was likely to be missed. So sums
// over samples are right in the mean, and how far off they are follows from how many there are.
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

// A sample for every so many units in the mean. An allocation is worth its bytes, and some more:
// small blocks are to be among the samples, too.
inline constexpr std::uint64_t mean_distance = std::uint64_t{32} << 10;
inline constexpr std::uint64_t units_of_call = 64;

// Counts of one thread, which alone writes them, so that counting takes no more than adding.
struct alignas(64) thread_counts {
  std::atomic<std::uint32_t> tid;  // 0: nobody's
  std::atomic<std::uint64_t> allocations;
  std::atomic<std::uint64_t> bytes;  // asked for
  std::atomic<std::uint64_t> frees;
};

// A stack: its innermost frame, and its caller's stack. What is counted was asked for there.
struct site {
  std::atomic<std::uint64_t>
      address;           // module's number + 1 above module_shift, place in it; 0: in none
  std::uint32_t parent;  // 0: the outermost frame
  std::atomic<std::uint64_t> allocations;  // as estimated; sixteenths
  std::atomic<std::uint64_t> bytes;        // as estimated
  std::atomic<std::uint64_t> freed_blocks;
  std::atomic<std::uint64_t> freed_bytes;
};

struct module_path {
  char text[path_bytes];
};

// Tells a library that was preloaded from one that was put into a running process.
enum class attachment : std::uint32_t {
  none,  // it was preloaded
  on,
  over,  // the program calls its own functions again
};

// Sites are numbered from 1 on; 0 is of what no stack is known for.
struct session : preload::session_head {
  std::uint32_t pid;
  std::atomic<attachment> attached;
  std::atomic<std::uint32_t> watcher;       // the process that has attached, and lets go at its end
  std::uint64_t started;                    // ns, CLOCK_MONOTONIC
  std::atomic<std::uint32_t> thread_count;  // slots from this one on were never in use
  std::atomic<std::uint32_t> module_count;
  std::atomic<std::uint32_t> site_count;
  std::atomic<std::uint64_t> not_kept;  // samples of which is not known when they are freed
  thread_counts ended;                  // of threads that are no more
  thread_counts others;  // of threads without a slot, which write it all at once: not exact
  module_path modules[most_modules];
  thread_counts threads[most_threads];
  site sites[most_sites];
};

inline constexpr std::uint64_t blocks_unit = 16;

}  // namespace mallard::live
