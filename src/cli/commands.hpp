// The subcommands: each adds itself to the command line and says what is to be done if it is
// chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/terminal.hpp"

namespace mallard::cli {

// What every command gets.
struct context {
  std::string command_line;  // as it was typed
  colour_choice colour = colour_choice::automatic;
  std::function<int()> chosen;  // set when the command line was parsed; gives the exit status
};

void add_bench_command(CLI::App& app, context& shared);
void add_density_command(CLI::App& bench, context& shared);
void add_locality_command(CLI::App& bench, context& shared);
void add_utilization_command(CLI::App& bench, context& shared);
void add_contention_command(CLI::App& bench, context& shared);
void add_false_sharing_command(CLI::App& bench, context& shared);
void add_churn_command(CLI::App& bench, context& shared);
void add_thrash_command(CLI::App& bench, context& shared);
void add_scratch_command(CLI::App& bench, context& shared);
void add_speed_command(CLI::App& bench, context& shared);
void add_memory_command(CLI::App& bench, context& shared);
void add_larson_command(CLI::App& bench, context& shared);
void add_remote_free_command(CLI::App& bench, context& shared);
void add_mixed_malloc_command(CLI::App& bench, context& shared);
void add_expansion_commands(CLI::App& bench, context& shared);
void add_burst_commands(CLI::App& bench, context& shared);
void add_heap_commands(CLI::App& bench, context& shared);
void add_bench_list_command(CLI::App& bench, context& shared);
void add_show_command(CLI::App& app, context& shared);
void add_compare_command(CLI::App& app, context& shared);
void add_claims_command(CLI::App& app, context& shared);
void add_report_command(CLI::App& app, context& shared);
void add_export_command(CLI::App& app, context& shared);
void add_doctor_command(CLI::App& app, context& shared);
void add_record_command(CLI::App& app, context& shared);
void add_control_command(CLI::App& app, context& shared);
void add_dims_command(CLI::App& app, context& shared);
void add_top_command(CLI::App& app, context& shared);
void add_import_command(CLI::App& app, context& shared);
void add_cut_command(CLI::App& app, context& shared);

}  // namespace mallard::cli
