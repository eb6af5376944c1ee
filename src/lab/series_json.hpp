// How the cells of a series, and a run's parameters, are written in a result file.
#pragma once

#include "lab/json_members.hpp"
#include "lab/results.hpp"
#include "lab/series.hpp"

namespace mallard::lab {

// Throw std::runtime_error with what is wrong.
series_cell read_series_cell(const json& object);
run_parameters read_parameters(const json& object);

json write_parameters(const run_parameters& parameters);

}  // namespace mallard::lab
