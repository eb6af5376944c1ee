// Measures the heap's share of a program's time on the program as it is: nothing of the heap
// is hooked, and samples of the processor's time say how often it is in an operation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "process/process.hpp"
#include "profile/result.hpp"
#include "whatif/program_runner.hpp"

namespace mallard::whatif {

struct sampling_limits {
  std::uint64_t looks = 600;  // so many tell 0.03 apart
  unsigned runs = 100;        // a program of two milliseconds gives a sample in two runs
  double seconds = 6;         // after which no run begins
};

// Samples of the processor's time, and how many of them met an operation of the heap.
struct heap_looks {
  std::uint64_t all = 0;
  std::uint64_t in_heap = 0;
};

// A sampler counts in whatever runs of the program have its environment. A run is hardly longer for
// it, so one that is timed can be sampled as well.
class heap_sampler {
 public:
  // Throws std::system_error, or lab::usage_error where its library is nowhere.
  heap_sampler();
  ~heap_sampler();
  heap_sampler(const heap_sampler&) = delete;
  heap_sampler& operator=(const heap_sampler&) = delete;

  const process::environment& environment() const { return environment_; }
  // `others`, which preload something, with the sampler before that.
  process::environment beside(process::environment others) const;
  heap_looks looks() const;
  // The share so far. Nothing where there are too few samples, as of a program of a millisecond, or
  // one that is linked statically.
  std::optional<profile::heap_share> share() const;
  // Whether a run that ended with this status died of its samples: see preload/cpu_timer.hpp. Such
  // a program cannot be sampled.
  static bool has_killed(int status);
  // Effects: runs the program until one of the limits is reached, which may be before the first, or
  // the runner was interrupted.
  // Returns: false where the program dies of it.
  // Throws as the runner does.
  bool go_on(program_runner& runner, const sampling_limits& limits);

 private:
  class shared_counts;
  std::unique_ptr<shared_counts> counts_;
  std::string library_;
  process::environment environment_;
};

}  // namespace mallard::whatif
