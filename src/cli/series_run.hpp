// Running a series bench: measuring, writing, printing.
#pragma once

#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/preload.hpp"
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
int run_series_bench(const series_request& request, const run_options& options,
                     const context& shared);

// When the command is chosen, runs what `make_request` makes of its options, which have the common
// ones as `common`.
template <class Options, class MakeRequest>
void run_when_chosen(CLI::App& command, context& shared, std::shared_ptr<Options> options,
                     MakeRequest make_request) {
  command.callback([&shared, options, make_request] {
    shared.chosen = [&shared, options, make_request] {
      preload_malloc(options->common.malloc);
      return run_series_bench(make_request(*options), options->common, shared);
    };
  });
}

}  // namespace mallard::cli
