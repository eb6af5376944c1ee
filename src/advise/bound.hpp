// The most there is to gain.
//
// Where the program was at hand, an ideal malloc ran beside all ways: its gain is the bound.
// Else no allocator can gain more than the time spent in allocation, which is known as well as the
// heap's share of the program's time is, and what its placement costs, of which there is an
// estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "profile/result.hpp"

namespace mallard::advise {

// Below this nothing is worth the reader's time.
inline constexpr double least_gain = 1.01;

struct gain_bound {
  std::uint64_t program_ns = 0;     // of the whole program, without the recorder
  std::uint64_t allocation_ns = 0;  // in the subsystem's operations of the heap
  std::uint64_t placement_ns = 0;   // that all others may take longer for where its blocks lie
  double times = 1;                 // as fast, with both
};

// The program's own time: that of its threads' processors where it was sampled, no longer than the
// recording.
std::uint64_t program_time(const profile::dims_result& dims);

// The program's live memory is so much more than the second cache holds that its placement may
// decide how fast it is.
bool is_spread_out(const profile::dims_result& dims);

// Enough samples say it that it may be told.
bool is_known(const std::optional<profile::heap_share>& heap);

// "15.2 % (12.9 to 17.6) of the program's time is in its operations of the heap".
std::string heap_text(const std::optional<profile::heap_share>& heap);

// Effects: where the ideal malloc ran, the bound of all that is advised and considered is what it
// gained; where another way gained more, it is that. Called when nothing more is tried.
void take_measured_bound(advice_report& report);

// Times as fast, if `most` of the program's time is gained.
double bound_times(double most, double program);

// Placement costs nothing where all that lives fits the second cache, for then no block
// is far away; else as large a part of the program's other time as the lines and pages that the
// blocks touch are more than they need be, or as blocks are not beside those that were born before
// them. How often the program uses its blocks is not known: it may be less, and it may be more.
gain_bound bound_of(const profile::subsystem& one, const profile::dims_result& dims);

}  // namespace mallard::advise
