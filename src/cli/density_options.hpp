// The options of `mallard bench density`, and the plan they make.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/plan.hpp"

namespace mallard::cli {

// The options as they were typed.
struct density_options {
  std::string structures = "all";
  std::optional<std::string> sizes;
  std::optional<std::string> strategies;
  std::optional<std::string> peer_strategies;
  std::string peers = "all";
  std::optional<std::string> heaps;
  std::optional<std::string> scale;
  std::optional<unsigned> repetitions;
  std::uint64_t seed = 1;
  std::optional<std::string> json;
  std::optional<std::string> memory_limit;
  std::string malloc;
  double timeout = 300;
  bool quick = false;
  bool fair = false;
  bool paper = false;
  bool resume = false;
  bool force = false;
};

void add_options(CLI::App& density, density_options& options);

// Throws usage_error when the options make no sense.
lab::density_plan make_plan(const density_options& options);

}  // namespace mallard::cli
