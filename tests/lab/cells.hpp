// Synthetic cells for tests.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "lab/results/results.hpp"

namespace mallard::lab {

// A good cell of "density" of three nearly equal repetitions around `seconds` for a leaf.
cell_result make_cell(std::string_view ds, int size, std::string_view strategy,
                      std::string_view peer, std::string_view heap, double seconds);

// All structures, the sizes 2^6, 2^10, 2^14 and 2^15, AS1, AS2 and AS3..AS14 of ours, on a clean
// heap, with the times that the function gives.
std::vector<cell_result> make_table(
    const std::function<double(std::string_view ds, int size, std::string_view strategy)>& seconds);

run_info make_run();

// A good cell of "locality" of three nearly equal repetitions around `seconds`.
cell_result make_series_cell(int subsystem, std::string_view strategy, std::string_view peer,
                             std::string_view heap, double seconds);

// The run that such cells come from.
run_info make_series_run();

}  // namespace mallard::lab
