// The order of repetitions: a slow minute of the machine is to hit all strategies alike.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/measuring/random.hpp"

namespace mallard::lab {

// Calls `once` for all repetitions, one of every cell before the next of any, in a new order each
// time, so that no strategy always follows the same other one. Stops when `once` returns false, and
// returns whether it did not.
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
