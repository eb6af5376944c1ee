// Figures derived from a cell's place and measures.
#pragma once

#include "lab/measuring/place.hpp"

namespace mallard::lab {

// The number of vectors that grow together, one element of each in turn.
inline constexpr std::uint64_t growing_vectors = 101;

// The number of containers that grow in turn at this place: 1, or growing_vectors for the form
// "among". "iterations" and "elements" give the size of each.
inline double containers_at_once(const place& at) {
  const auto form = at.find("form");
  const bool among = form != at.end() && to_string(form->second) == "among";
  return among ? static_cast<double>(growing_vectors) : 1;
}

}  // namespace mallard::lab
