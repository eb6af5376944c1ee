// The options of `mallard bench density`, and the plan they make.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/run_options.hpp"
#include "lab/plan.hpp"

namespace mallard::cli {

// The options as they were typed.
struct density_options : run_options {
  std::string structures = "all";
  std::optional<std::string> sizes;
  std::optional<std::string> strategies;
  std::optional<std::string> peer_strategies;
  std::optional<std::string> scale;
  bool fair = false;
  bool paper = false;
};

void add_options(CLI::App& density, density_options& options);

// Throws usage_error when the options make no sense.
lab::density_plan make_plan(const density_options& options);

}  // namespace mallard::cli
