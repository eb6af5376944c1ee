// The options that the benches of mallocs have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_options.hpp"
#include "lab/malloc_plans.hpp"
#include "lab/results.hpp"

namespace mallard::cli {

// The options as they were typed.
struct malloc_options : run_options {
  std::optional<std::string> allocators;
  std::vector<std::string> more_allocators;  // NAME=FILE
  std::optional<std::string> threads;
  std::optional<std::string> scale;
};

// What is taken where nothing was typed.
struct malloc_defaults {
  const char* threads;
  unsigned repetitions;
  double scale;
};
inline constexpr malloc_defaults usual_malloc_run = {"1,2,4,8,16,32,48", 5, 1};

// `scaled` is what --scale takes a fraction of.
void add_malloc_options(CLI::App& bench, malloc_options& options, const std::string& scaled);

void add_threads_option(CLI::App& bench, malloc_options& options);

// What was asked for; `quick` are the defaults with --quick.
struct malloc_request {
  lab::malloc_conditions under;
  std::vector<lab::skipped_peer> missing;  // allocators
  lab::thread_counts threads;
  double scale;
  lab::run_parameters parameters;  // so far
};
malloc_request make_malloc_request(const malloc_options& options, const malloc_defaults& quick);

// At least one.
std::uint64_t scaled(std::uint64_t count, double scale);

// Sizes by a distribution: --distribution, --min, --max, --step. The chapter's are the defaults.
struct mix_options {
  std::string distribution = "fisher";
  std::uint32_t low = 50;
  std::uint32_t high = 500;
  std::uint32_t step = 50;
};
void add_mix_options(CLI::App& bench, mix_options& options);
lab::size_mix make_mix(const mix_options& options, lab::run_parameters& parameters);

}  // namespace mallard::cli
