// Runs all lanes of a program at once on a strategy's resources.
#pragma once

#include <cstdint>
#include <string_view>

#include "replay/play.hpp"
#include "replay/program.hpp"

namespace mallard::replay {

// Strategies that measure costs to subtract.
inline constexpr std::string_view nothing_strategy = "nothing";  // skips the subsystem's operations
inline constexpr std::string_view loop_strategy = "loop";        // skips all operations
inline constexpr std::string_view no_library = "";  // that of AS1, AS2 and the two above

struct run_setting {
  play_setting play;
  double steps_per_ns = 1;          // for thinking
  std::size_t pollution_bytes = 0;  // touched by thinking, in all lanes together
};

struct run_result {
  double seconds = 0;      // of the lanes' processors, without waiting for each other
  std::uint64_t done = 0;  // executed operations
  std::uint64_t read = 0;
};

// Tables, buffers and threads are ready before the clock starts. A lane that fails because memory
// is exhausted calls `fail`, which does not return.
using run_function = run_result (*)(const program_view& what, const run_setting& how,
                                    void (*fail)(std::string_view why));

// "AS1", "AS2", nothing_strategy and loop_strategy have no library; "AS3" to "AS14", "sync" and
// "mutex" are in "mallard", "std" and "boost"; "heap", "sync-heap" and "adaptive" (pools) in
// "mallard". Returns: null if there is none.
run_function find_run(std::string_view strategy, std::string_view library);

// Whether it serves several lanes that free each other's blocks.
bool is_shared(std::string_view strategy);
// Whether it gets memory back only at the end of an epoch.
bool is_monotonic(std::string_view strategy);
// Whether it leaves out an epoch's last frees.
bool is_winked_out(std::string_view strategy);

// The size of a monotonic resource's first buffer: room for the largest epoch, up to a limit.
std::size_t buffer_bytes(const program_facts& facts);

// Ages the heap as a long-running program would: allocates blocks of the trace's sizes and frees
// most of them in random order. The rest stays until the process ends.
void age_by_sizes(const program_view& what, std::uint64_t seed);

}  // namespace mallard::replay
