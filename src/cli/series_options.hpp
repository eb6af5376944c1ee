// The options that all series benches have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/series_plans.hpp"

namespace mallard::cli {

// The options as they were typed.
struct series_options {
  std::optional<std::string> strategies;
  std::string peers = "all";
  std::optional<std::string> heaps;
  std::optional<unsigned> repetitions;
  std::uint64_t seed = 1;
  std::optional<std::string> json;
  std::optional<std::string> memory_limit;
  std::string malloc;
  double timeout = 300;
  bool quick = false;
  bool resume = false;
  bool force = false;
};

// What is taken where nothing was typed.
struct series_defaults {
  const char* strategies;
  unsigned repetitions;
};

// `usual` is what --help names.
void add_series_options(CLI::App& bench, series_options& options, const series_defaults& usual);

// Throws usage_error when the options make no sense. Without a limit of memory that was asked for,
// a cell may use 7/8 of the machine's.
lab::series_conditions make_conditions(const series_options& options,
                                       const series_defaults& defaults);

}  // namespace mallard::cli
