// The first pass over a trace: finds the lanes, the blocks that pass between them and the lengths
// of the gaps.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/of_threads.hpp"
#include "profile/trace/trace_reader.hpp"
#include "replay/decode.hpp"

namespace mallard::replay {

trace_survey survey_trace(profile::trace_reader& trace, const decode_options& options);

// The time between a thread's operations, without the operations themselves.
class gap_meter {
 public:
  gap_meter(double allocation_ns, double free_ns)
      : allocation_ns_(static_cast<std::uint64_t>(allocation_ns)),
        free_ns_(static_cast<std::uint64_t>(free_ns)) {}

  // ns before this operation, at most thinker::longest_ns; 0 before a thread's first.
  std::uint32_t before(const profile::recorded& one);

 private:
  struct last_operation {
    std::uint64_t time = 0;
    bool is_free = false;
    bool there = false;
  };
  std::uint64_t allocation_ns_;
  std::uint64_t free_ns_;
  profile::of_threads<last_operation> last_;
};

}  // namespace mallard::replay
