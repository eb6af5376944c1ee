// Figures derived from a cell's place and measures.
#pragma once

#include "lab/measuring/place.hpp"

namespace mallard::lab {

// As many vectors grow among each other, one element of each in turn.
inline constexpr std::uint64_t growing_vectors = 101;

// Number of containers that grow in turn at this place, of which "iterations" and "elements" say
// the size of each: 1, or growing_vectors for the form "among".
double containers_at_once(const place& at);

}  // namespace mallard::lab
