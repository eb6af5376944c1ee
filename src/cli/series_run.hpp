// Running a series bench: measuring, writing, printing.
#pragma once

#include <string>

#include "cli/commands.hpp"
#include "cli/series_options.hpp"
#include "lab/results.hpp"
#include "lab/series_bench.hpp"

namespace mallard::cli {

struct series_request {
  std::string bench;
  lab::series_plan plan;
  lab::run_parameters parameters;  // for the first line of the result file
};

// Gives the exit status. Throws usage_error when the plan has no cells.
int run_series_bench(const series_request& request, const series_options& options,
                     const context& shared);

}  // namespace mallard::cli
