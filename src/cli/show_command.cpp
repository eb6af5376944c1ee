// mallard show
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/results_input.hpp"
#include "cli/tables.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct show_options {
  std::string file;
  std::string peer = "mallard";
};

int show(const show_options& options, colour_choice choice) {
  const lab::result_file results = read_results(options.file);
  const bool any = std::any_of(results.cells.begin(), results.cells.end(),
                               [&](const auto& cell) { return is_shown(cell, options.peer); });
  if (!any) {
    throw usage_error(fmt::format("{} has no cells of peer '{}'", options.file, options.peer));
  }
  const bool colour = use_colour(choice, STDOUT_FILENO);
  fmt::print("{}\n{}, {}\n", results.run.command, results.run.machine.cpu, results.run.date);
  fmt::print("{}", tables(results.cells, options.peer, colour));
  fmt::print("{}", speed_ups(results.cells));
  return success;
}

}  // namespace

void add_show_command(command_parser app, const context& shared) {
  const command_parser command = app.add_command("show", "Print a result file as heat maps");
  const auto options = std::make_shared<show_options>();
  command.add_option("RESULT", options->file, "Result file").required();
  command
      .add_option("--peer", options->peer,
                  "The library whose resources are shown (default: mallard)")
      .takes("PEER");
  command.runs([&shared, options] { return show(*options, shared.colour); });
}

}  // namespace mallard::cli
