// The published tables of Benchmarks II to IV as cells that a bench could have measured.
#pragma once

#include <vector>

#include "lab/results/cell.hpp"

namespace mallard::lab {

// With nearly no spread, on a clean heap, as variant "code". A published failure is a failed cell.
std::vector<cell_result> published_series();

}  // namespace mallard::lab
