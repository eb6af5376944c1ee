// The heap's share of a program's time: D of the six dimensions.
//
// The best figure is measured without a recorder: samples of the processor time, and how many of
// them are in a heap operation. The system looks at the clock some 250 times a second, so one
// second gives an error of about 0.05.
//
// A recording has two more figures. Its own samples are as few. Operations timed in place are many,
// but fast ones come out too short, and ones that the recorder slowed down too long. The estimate
// combines both, weighted by their errors. Timed operations also spread the time over subsystems
// and windows, for which there are too few samples.
#pragma once

#include <cstdint>
#include <optional>

#include "profile/result.hpp"

namespace mallard::profile {

// Returns: the share and its interval, if `in_heap` of `looks` samples were in the heap.
heap_share share_of_looks(std::uint64_t in_heap, std::uint64_t looks);

// The estimated share of a recorded program; nothing if it has no samples or no timed operation.
// `all.D` must be that of the timed operations.
std::optional<heap_share> estimated_share(const subsystem& all);

// Effects: scales the heap's times in `dims` to this share: D of the program, of subsystems and
// windows (at most 1), and `heap_ns`.
void take_heap_share(dims_result& dims, const heap_share& share);

}  // namespace mallard::profile
