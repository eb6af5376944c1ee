// The options that the series benches have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_options.hpp"
#include "lab/series_plans.hpp"

namespace mallard::cli {

// The options as they were typed.
struct series_options : run_options {
  std::optional<std::string> strategies;
};

// What is taken where nothing was typed.
struct series_defaults {
  const char* strategies;
  unsigned repetitions;
};

// `usual` is what --help names.
void add_series_options(CLI::App& bench, series_options& options, const series_defaults& usual);

// What all series benches have in common but the strategies. Throws usage_error when the options
// make no sense. Without a limit of memory that was asked for, a cell may use 7/8 of the machine's.
lab::series_conditions make_conditions(const run_options& options,
                                       std::vector<lab::series_column> columns,
                                       unsigned default_repetitions);
lab::series_conditions make_conditions(const series_options& options,
                                       const series_defaults& defaults);

// The options of all benches, as those of a series name them.
void add_series_run_options(CLI::App& bench, run_options& options, unsigned default_repetitions);

}  // namespace mallard::cli
