// The options that all benches have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/run_file.hpp"

namespace mallard::cli {

// The options as they were typed.
struct run_options {
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

  file_choice file() const { return {json, resume, force}; }
};

// What --help says where benches differ.
struct run_help {
  unsigned repetitions;
  const char* seed;
  const char* json;
  const char* memory_limit;
  const char* quick;
};

void add_run_options(CLI::App& bench, run_options& options, const run_help& help);

// Those of them that do not say what is measured on what: repetitions, seed, file, time.
void add_measuring_options(CLI::App& bench, run_options& options, const run_help& help);

}  // namespace mallard::cli
