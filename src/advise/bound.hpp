// How much there is to gain at all: no allocator can gain more than the time spent in allocation
// and what its placement costs.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/result.hpp"

namespace mallard::advise {

// Below this nothing is worth the reader's time.
inline constexpr double least_gain = 1.01;

struct gain_bound {
  std::uint64_t program_ns = 0;     // of the whole program, without the recorder
  std::uint64_t allocation_ns = 0;  // in the subsystem's operations of the heap
  std::uint64_t placement_ns = 0;   // that its own functions may take longer for where blocks lie
  double times = 1;                 // as fast, at most
};

// The program's own time: that of its threads' processors where it was sampled, no longer than the
// recording.
std::uint64_t program_time(const profile::dims_result& dims);

// Times as fast, if `most` of the program's time is gained.
double bound_times(double most, double program);

// What placement can cost is nothing where all that lives fits the second cache, for then no block
// is far away; else as large a part of the subsystem's other time as the lines and pages it has to
// touch are more than they need be, or as blocks are not beside those that were born before them.
gain_bound bound_of(const profile::subsystem& one, const profile::dims_result& dims);

}  // namespace mallard::advise
