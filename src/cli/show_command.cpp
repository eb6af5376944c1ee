// mallard show
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/heat_map.hpp"
#include "cli/results_input.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct show_options {
  std::string file;
  std::string peer = "mallard";
};

int show(const show_options& options, colour_choice colour) {
  const lab::result_file results = read_results(options.file);
  std::vector<std::string> heaps;
  bool any = false;
  for (const auto& cell : results.cells) {
    any |= cell.key.peer == options.peer;
    if (std::find(heaps.begin(), heaps.end(), cell.key.heap) == heaps.end()) {
      heaps.push_back(cell.key.heap);
    }
  }
  if (!any) {
    throw usage_error(fmt::format("{} has no cells of peer '{}'", options.file, options.peer));
  }
  fmt::print("{}\n{}, {}\n", results.run.command, results.run.machine.cpu, results.run.date);
  for (const auto& heap : heaps) {
    fmt::print("{}",
               heat_maps(results.cells, heap, options.peer, use_colour(colour, STDOUT_FILENO)));
  }
  for (const auto& heap : heaps) fmt::print("{}", speed_ups(results.cells, heap));
  return success;
}

}  // namespace

void add_show_command(CLI::App& app, context& shared) {
  CLI::App* command = app.add_subcommand("show", "Print a result file as heat maps");
  const auto options = std::make_shared<show_options>();
  command->add_option("RESULT", options->file, "Result file")->required();
  command->add_option("--peer", options->peer, "Whose resources (default: mallard)");
  command->callback([&shared, options] {
    shared.chosen = [&shared, options] { return show(*options, shared.colour); };
  });
}

}  // namespace mallard::cli
