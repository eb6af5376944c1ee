// The options of `mallard bench NAME`, as the bench says them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cli/command_parser.hpp"
#include "lab/bench/bench.hpp"
#include "lab/bench/plan.hpp"
#include "lab/bench/rivals.hpp"

namespace mallard::cli {

// The options as they were typed.
struct bench_options {
  std::map<std::string, std::optional<std::string>> texts;  // by axis
  std::map<std::string, bool> flags;
  lab::rivals_request rivals;
  std::optional<std::string> scale;
  std::optional<unsigned> repetitions;
  std::uint64_t seed = 1;
  std::optional<std::string> memory_limit;
  std::string malloc;
  double timeout = 300;
  bool quick = false;
  std::optional<std::string> json;
  bool resume = false;
  bool force = false;
};

void add_bench_options(command_parser command, const lab::bench& what, bench_options& options);

// The measurement that the options ask for. Throws usage_error when they make no sense.
struct bench_order {
  lab::bench_plan plan;
  lab::place parameters;
  lab::chosen_rivals rivals;
};
bench_order make_order(const lab::bench& what, const bench_options& options);

}  // namespace mallard::cli
