// One repetition of a replay, in a process of its own: its task and its readings.
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/measuring/task.hpp"
#include "replay/run.hpp"

namespace mallard::replay {

struct replay_request {
  int file = -1;  // a shared_program's
  std::string_view strategy;
  std::string_view library;  // no_library, or the library of the resources
  run_setting how;
  bool aged = false;
  std::uint64_t seed = 1;
};

// Names of a repetition's readings.
inline constexpr const char* replay_seconds = "replay";  // of the whole program's operations
// The largest growth of the resident set from a clean heap. Only the first repetition reads it.
inline constexpr const char* replay_memory = "rss";

// Returns: no task if there is no such strategy.
lab::task make_replay_task(const replay_request& what);

}  // namespace mallard::replay
