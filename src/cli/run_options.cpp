#include "cli/run_options.hpp"

#include <fmt/format.h>

namespace mallard::cli {

void add_run_options(CLI::App& bench, run_options& options, const run_help& help) {
  bench.add_option("--peers", options.peers, "Whose resources (default: all that are there)");
  bench.add_option("--heap", options.heaps, "clean, aged or both (default: clean)");
  bench.add_option("--malloc", options.malloc,
                   "Measure on this malloc: a library, or jemalloc, mimalloc, tcmalloc, tbbmalloc");
  bench.add_option("--memory-limit", options.memory_limit, help.memory_limit);
  add_measuring_options(bench, options, help);
}

void add_measuring_options(CLI::App& bench, run_options& options, const run_help& help) {
  bench
      .add_option("--reps", options.repetitions,
                  fmt::format("Repetitions of each cell (default: {})", help.repetitions))
      ->check(CLI::Range(1U, 10000U).description(""));
  bench.add_option("--seed", options.seed, help.seed);
  bench.add_option("--json", options.json, help.json);
  bench.add_option("--timeout", options.timeout, "Seconds a repetition may take (default: 300)")
      ->check(CLI::Range(0.001, 1e6).description(""));
  bench.add_flag("--quick", options.quick, help.quick);
  auto* resume = bench.add_flag("--resume", options.resume,
                                "Go on with the result file: skip the cells that it has");
  bench.add_flag("--force", options.force, "Replace the result file if there is one")
      ->excludes(resume);
}

}  // namespace mallard::cli
