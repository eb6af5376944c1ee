// Runs a program's lanes on a strategy's resources, all at once.
#pragma once

#include <cstdint>
#include <string_view>

#include "replay/play.hpp"
#include "replay/program.hpp"

namespace mallard::replay {

// Leaves the subsystem's operations out: they go nowhere.
inline constexpr std::string_view nothing_strategy = "nothing";  // nowhere: they are not done
inline constexpr std::string_view loop_strategy = "loop";        // nor are those of the rest
inline constexpr std::string_view no_library = "";               // of AS1, AS2, and of those two

struct run_setting {
  play_setting play;
  double steps_per_ns = 1;          // of thinking
  std::size_t pollution_bytes = 0;  // of thinking, for all lanes together
};

struct run_result {
  double seconds = 0;      // of the lanes' processors, without waiting for each other
  std::uint64_t done = 0;  // operations carried out
  std::uint64_t read = 0;
};

// Tables, buffers and threads are there before the clock starts. A lane that fails (memory is
// exhausted) tells why to `fail`, which does not return.
using run_function = run_result (*)(const program_view& what, const run_setting& how,
                                    void (*fail)(std::string_view why));

// "AS1", "AS2", nothing_strategy and loop_strategy are of no library; "AS3" to "AS14", "sync" and
// "mutex" of "mallard", "std", "boost"; "heap", "sync-heap" and "adaptive" (pools) of "mallard".
// Null: there is no such thing here.
run_function find_run(std::string_view strategy, std::string_view library);

// Whether it serves several lanes at once that free each other's blocks.
bool is_shared(std::string_view strategy);
// Whether it gets memory back at the end of an epoch alone.
bool is_monotonic(std::string_view strategy);
// Whether it leaves out the last frees of an epoch.
bool is_winked_out(std::string_view strategy);

// Room for the largest epoch, up to a limit: a monotonic resource's first buffer.
std::size_t buffer_bytes(const program_facts& facts);

// Brings the heap into the state of a program that has run for a while: blocks of the trace's own
// sizes, of which most are freed again in random order. What stays stays until the process ends.
void age_by_sizes(const program_view& what, std::uint64_t seed);

}  // namespace mallard::replay
