// The rates between two readings of a watched program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watch/site_names.hpp"
#include "watch/watched_process.hpp"

namespace mallard::watch {

struct function_row {
  std::string function;
  double allocations = 0;  // per second
  double bytes = 0;        // per second
  double live_blocks = 0;  // now
  double live_bytes = 0;
};

struct thread_row {
  std::uint32_t tid = 0;
  std::string name;
  double allocations = 0;  // per second
  double bytes = 0;
  double frees = 0;
};

struct rates {
  double allocations = 0;  // per second, exact
  double bytes = 0;
  double frees = 0;
  double live_bytes = 0;  // of blocks allocated since the program's start: an estimate
  std::vector<function_row> functions;  // the most allocations first, then the most live bytes
  std::vector<thread_row> threads;      // the most allocations first
};

// Returns: the bytes in blocks that live, estimated from samples; never more than were allocated.
double live_bytes(const reading& now);

// `before`: an earlier reading of the same program; an empty one for rates since its start.
rates between(const reading& before, const reading& now, const site_names& names);

}  // namespace mallard::watch
