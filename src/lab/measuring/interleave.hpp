// The order of repetitions: a slow minute of the machine should hit all strategies alike.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/measuring/random.hpp"

namespace mallard::lab {

// Calls `once` for all repetitions: every cell once before any cell again, each time in a new
// order, so that no strategy always follows the same other one. Stops if `once` returns false.
// Returns: whether it ran to the end.
template <class Cell, class Once>
bool interleave(std::vector<Cell>& cells, unsigned repetitions, std::uint64_t seed,
                const Once& once) {
  std::vector<Cell*> order;
  order.reserve(cells.size());
  for (Cell& cell : cells) order.push_back(&cell);
  random_stream random(seed);
  for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
    shuffle(order, random);
    for (Cell* cell : order) {
      if (!once(*cell)) return false;
    }
  }
  return true;
}

}  // namespace mallard::lab
