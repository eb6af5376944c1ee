// One repetition of a replay, in a program started for it: its task, and what it reads.
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/measuring/task.hpp"
#include "replay/run.hpp"

namespace mallard::replay {

struct replay_request {
  int file = -1;  // of a shared_program
  std::string_view strategy;
  std::string_view library;  // no_library, or that of the resources
  run_setting how;
  bool aged = false;
  std::uint64_t seed = 1;
};

// The figures that a repetition reads.
inline constexpr const char* replay_seconds = "replay";  // the whole program's operations
// Largest growth of the resident set from a clean heap; only the first repetition reads it.
inline constexpr const char* replay_memory = "rss";

// No task where there is no such strategy.
lab::task make_replay_task(const replay_request& what);

}  // namespace mallard::replay
