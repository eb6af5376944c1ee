#include "cli/series_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/lists.hpp"
#include "lab/machine.hpp"
#include "lab/malloc_library.hpp"
#include "lab/meters.hpp"

namespace mallard::cli {
namespace {

// 7/8 of the memory, so that a cell that is too large for the machine fails by itself. None where
// this process has reserved more than that already, as sanitizers and some mallocs do.
std::uint64_t default_memory_limit() {
  const std::uint64_t limit = lab::this_machine().memory_bytes / 8 * 7;
  return lab::read_address_space_bytes() < limit / 2 ? limit : 0;
}

}  // namespace

void add_series_run_options(CLI::App& bench, run_options& options, unsigned default_repetitions) {
  add_run_options(bench, options,
                  {.repetitions = default_repetitions,
                   .seed = "Of the shuffling, the order and the intervals",
                   .json = "Result file (default: results/BENCH-DATE.jsonl)",
                   .memory_limit = "Address space of a measuring process, like 2G; 0: no limit "
                                   "(default: 7/8 of the memory)",
                   .quick = "Smaller defaults: done in some 20 seconds"});
}

void add_series_options(CLI::App& bench, series_options& options, const series_defaults& usual) {
  bench.add_option("--strategies", options.strategies,
                   fmt::format("Like AS1,AS3,AS7-AS9 (default: {})", usual.strategies));
  add_series_run_options(bench, options, usual.repetitions);
}

lab::series_conditions make_conditions(const run_options& options,
                                       std::vector<lab::series_column> columns,
                                       unsigned default_repetitions) {
  lab::series_conditions under;
  under.columns = std::move(columns);
  under.heaps = parse_heaps(options.heaps.value_or("clean"));
  under.malloc = lab::malloc_name();
  under.repetitions = options.repetitions.value_or(default_repetitions);
  under.seed = options.seed;
  under.memory_limit = options.memory_limit ? parse_bytes("--memory-limit", *options.memory_limit)
                                            : default_memory_limit();
  under.timeout_seconds = options.timeout;
  return under;
}

lab::series_conditions make_conditions(const series_options& options,
                                       const series_defaults& defaults) {
  return make_conditions(
      options,
      lab::make_series_columns(
          parse_series_strategies(options.strategies.value_or(defaults.strategies)),
          parse_peers(options.peers)),
      defaults.repetitions);
}

}  // namespace mallard::cli
