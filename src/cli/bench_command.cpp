// mallard bench
#include "cli/commands.hpp"

namespace mallard::cli {

void add_bench_command(CLI::App& app, context& shared) {
  CLI::App* bench = app.add_subcommand("bench", "Measure");
  bench->require_subcommand(1);
  add_density_command(*bench, shared);
  add_locality_command(*bench, shared);
  add_utilization_command(*bench, shared);
  add_contention_command(*bench, shared);
  add_false_sharing_command(*bench, shared);
  add_bench_list_command(*bench, shared);
}

}  // namespace mallard::cli
