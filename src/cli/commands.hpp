// The subcommands: each adds itself to the command line and says what is to be done if it is
// chosen.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/context.hpp"

namespace mallard::cli {

void add_advise_command(CLI::App& app, context& shared);
void add_bench_command(CLI::App& app, context& shared);
void add_bench_list_command(CLI::App& bench, context& shared);
void add_show_command(CLI::App& app, context& shared);
void add_compare_command(CLI::App& app, context& shared);
void add_claims_command(CLI::App& app, context& shared);
void add_report_command(CLI::App& app, context& shared);
void add_export_command(CLI::App& app, context& shared);
void add_doctor_command(CLI::App& app, context& shared);
void add_record_command(CLI::App& app, context& shared);
void add_control_command(CLI::App& app, context& shared);
void add_whatif_command(CLI::App& app, context& shared);
void add_dims_command(CLI::App& app, context& shared);
void add_top_command(CLI::App& app, context& shared);
void add_diff_command(CLI::App& app, context& shared);
void add_check_command(CLI::App& app, context& shared);
void add_import_command(CLI::App& app, context& shared);
void add_replay_command(CLI::App& app, context& shared);
void add_cut_command(CLI::App& app, context& shared);

}  // namespace mallard::cli
