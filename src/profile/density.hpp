// The heap's share of a program's time: D of the six dimensions.
//
// The best that can be known is measured on the program as it runs without a recorder: samples of
// its processor's time, how many are in an operation of the heap. The system looks at the clock 250
// times a second or so, so a second tells no more than 0.05. A recording has two other figures:
// its own samples, which are as few, and operations timed in place, of which there are many, but
// fast ones come out too short and those that the recorder slowed down too long. Both count as far
// as they can be trusted. Timed operations also say how the time is spread over subsystems and
// windows of time, which samples are too few for.
#pragma once

#include <cstdint>
#include <optional>

#include "profile/result.hpp"

namespace mallard::profile {

// The share, with its interval, when so many looks at a program found so many in its heap.
heap_share share_of_looks(std::uint64_t in_heap, std::uint64_t looks);

// A recording's share for the whole program; nothing where it has no samples or no operation was
// timed. Its D is that of the timed operations alone.
std::optional<heap_share> estimated_share(const subsystem& all);

// Effects: what `dims` says of the heap's time says so: D of the whole program, of subsystems and
// of windows, none above 1, and their `heap_ns`.
void take_heap_share(dims_result& dims, const heap_share& share);

}  // namespace mallard::profile
