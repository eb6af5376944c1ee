// mallard show
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/heat_map.hpp"
#include "cli/malloc_table.hpp"
#include "cli/results_input.hpp"
#include "cli/series_table.hpp"
#include "cli/usage_error.hpp"
#include "lab/malloc_bench.hpp"

namespace mallard::cli {
namespace {

struct show_options {
  std::string file;
  std::string peer = "mallard";
};

// The heaps of Benchmark I's cells, in the order of the file.
std::vector<std::string> heaps_of(const lab::result_file& results) {
  std::vector<std::string> heaps;
  for (const auto& cell : results.cells) {
    if (std::find(heaps.begin(), heaps.end(), cell.key.heap) == heaps.end()) {
      heaps.push_back(cell.key.heap);
    }
  }
  return heaps;
}

int show(const show_options& options, colour_choice choice) {
  const lab::result_file results = read_results(options.file);
  const bool any = std::any_of(results.cells.begin(), results.cells.end(),
                               [&](const auto& cell) { return cell.key.peer == options.peer; }) ||
                   std::any_of(results.series.begin(), results.series.end(), [&](const auto& cell) {
                     return is_shown(cell, options.peer) || lab::is_malloc_bench(cell.bench);
                   });
  if (!any) {
    throw usage_error(fmt::format("{} has no cells of peer '{}'", options.file, options.peer));
  }
  const bool colour = use_colour(choice, STDOUT_FILENO);
  const std::vector<std::string> heaps = heaps_of(results);
  fmt::print("{}\n{}, {}\n", results.run.command, results.run.machine.cpu, results.run.date);
  for (const auto& heap : heaps) {
    fmt::print("{}", heat_maps(results.cells, heap, options.peer, colour));
  }
  for (const auto& heap : heaps) fmt::print("{}", speed_ups(results.cells, heap));
  std::vector<lab::series_cell> of_mallocs;
  std::vector<lab::series_cell> of_strategies;
  std::partition_copy(results.series.begin(), results.series.end(), std::back_inserter(of_mallocs),
                      std::back_inserter(of_strategies),
                      [](const auto& cell) { return lab::is_malloc_bench(cell.bench); });
  fmt::print("{}", malloc_tables(of_mallocs, colour));
  fmt::print("{}", series_tables(of_strategies, options.peer, colour));
  fmt::print("{}", series_speed_ups(of_strategies));
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
