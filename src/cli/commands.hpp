// The subcommands: each adds itself to the command line and says what is to be done if it is
// chosen.
#pragma once

#include "cli/command_parser.hpp"
#include "cli/context.hpp"

namespace mallard::cli {

void add_advise_command(command_parser app, const context& shared);
void add_bench_command(command_parser app, const context& shared);
void add_bench_list_command(command_parser bench);
void add_show_command(command_parser app, const context& shared);
void add_compare_command(command_parser app);
void add_claims_command(command_parser app, const context& shared);
void add_report_command(command_parser app);
void add_export_command(command_parser app);
void add_doctor_command(command_parser app, const context& shared);
void add_record_command(command_parser app);
void add_control_command(command_parser app);
void add_live_command(command_parser app, const context& shared);
void add_whatif_command(command_parser app, const context& shared);
void add_dims_command(command_parser app, const context& shared);
void add_top_command(command_parser app, const context& shared);
void add_diff_command(command_parser app, const context& shared);
void add_check_command(command_parser app, const context& shared);
void add_import_command(command_parser app, const context& shared);
void add_replay_command(command_parser app, const context& shared);
void add_cut_command(command_parser app);
void add_manual_commands(command_parser app);

}  // namespace mallard::cli
