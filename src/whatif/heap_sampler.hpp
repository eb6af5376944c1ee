// Measures the heap's share of a program's time on the program as it is: nothing of the heap
// is hooked, and samples of the processor's time say how often it is in an operation.
#pragma once

#include <optional>

#include "profile/result.hpp"
#include "whatif/program_runner.hpp"

namespace mallard::whatif {

struct sampling_limits {
  std::uint64_t looks = 600;        // so many tell 0.03 apart
  std::uint64_t fewest_looks = 20;  // fewer say nothing
  unsigned runs = 100;              // a program of two milliseconds gives a sample in two runs
  double seconds = 6;               // after which no run begins
  bool (*interrupted)() = nullptr;
};

// Effects: runs the program once at least, until one of the limits is reached. Returns: nothing
// where it gave too few samples, as a program of a millisecond, or one that is linked statically.
// Throws as the runner does.
std::optional<profile::heap_share> measure_heap_share(program_runner& runner,
                                                      const sampling_limits& limits);

}  // namespace mallard::whatif
