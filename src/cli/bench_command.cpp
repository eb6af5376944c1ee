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
  add_churn_command(*bench, shared);
  add_thrash_command(*bench, shared);
  add_scratch_command(*bench, shared);
  add_speed_command(*bench, shared);
  add_memory_command(*bench, shared);
  add_larson_command(*bench, shared);
  add_remote_free_command(*bench, shared);
  add_mixed_malloc_command(*bench, shared);
  add_expansion_commands(*bench, shared);
  add_burst_commands(*bench, shared);
  add_heap_commands(*bench, shared);
  add_bench_list_command(*bench, shared);
}

}  // namespace mallard::cli
