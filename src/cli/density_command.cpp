// mallard bench density
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/density_options.hpp"
#include "cli/heat_map.hpp"
#include "cli/interrupt.hpp"
#include "cli/preload.hpp"
#include "cli/progress_bar.hpp"
#include "cli/run_file.hpp"
#include "lab/density.hpp"

namespace mallard::cli {
namespace {

lab::run_info describe(const lab::density_plan& plan, const density_options& options,
                       const std::string& command_line) {
  std::vector<std::string> peers;
  for (const lab::column& one : plan.columns) peers.push_back(one.peer);
  lab::run_info run = describe_run("density", command_line, peers);
  run.mode = options.paper ? "paper" : "fair";
  run.scale = plan.scale;
  run.leaves = plan.leaves();
  run.repetitions = plan.repetitions;
  run.seed = plan.seed;
  run.heaps = plan.heaps;
  return run;
}

// Everything that is there, best for the one peer that comes first.
void print_tables(const std::vector<lab::cell_result>& cells, const lab::run_info& run,
                  const std::filesystem::path& path, bool colour) {
  const std::string peer = run.peers.empty() ? "mallard" : run.peers.front().name;
  for (const std::string& heap : run.heaps) fmt::print("{}", heat_maps(cells, heap, peer, colour));
  for (const std::string& heap : run.heaps) fmt::print("{}", speed_ups(cells, heap));
  fmt::print("\nResults: {}\nTo measure again: {}\n", path.string(), run.command);
  for (std::size_t i = 1; i < run.peers.size(); ++i) {
    fmt::print("The same tables for {0}: mallard show {1} --peer {0}\n", run.peers[i].name,
               path.string());
  }
  fmt::print("As a page: mallard report {} -o report.html\n", path.string());
}

std::size_t report_failures(const std::vector<lab::cell_result>& cells) {
  std::size_t failures = 0;
  for (const lab::cell_result& cell : cells) {
    if (cell.ok()) continue;
    ++failures;
    fmt::print(stderr, "mallard: {} 2^{} {}@{} ({} heap) failed: {}\n", cell.key.ds, cell.key.size,
               cell.key.strategy, cell.key.peer, cell.key.heap, cell.error);
  }
  return failures;
}

// Cells that need not be measured again: the good ones with all their repetitions.
std::vector<lab::cell_result> complete_cells(const std::vector<lab::cell_result>& cells,
                                             unsigned repetitions) {
  std::vector<lab::cell_result> complete;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(complete),
               [&](const auto& one) { return one.ok() && one.seconds.size() >= repetitions; });
  return complete;
}

int run_bench(const density_options& options, const context& shared) {
  preload_malloc(options.malloc);
  const lab::density_plan plan = make_plan(options);
  const lab::run_info run = describe(plan, options, shared.command_line);
  result_writer writer = open_results({options.json, options.resume, options.force}, run);
  warn_of_run(run);

  std::vector<lab::cell_result> cells = complete_cells(writer.earlier(), plan.repetitions);
  const std::vector<lab::cell_result> earlier = cells;
  lab::density_end end{};
  {
    const interrupt_guard guard;
    progress_bar bar;
    const lab::density_events events{.cell =
                                         [&](const lab::cell_result& cell) {
                                           writer.write(cell);
                                           cells.push_back(cell);
                                         },
                                     .step = [&](const lab::progress& now) { bar.show(now); },
                                     .interrupted = was_interrupted};
    end = lab::run_density(plan, earlier, events);
  }
  if (end == lab::density_end::interrupted) return tell_interrupted(writer);
  print_tables(cells, run, writer.path(), use_colour(shared.colour, STDOUT_FILENO));
  return report_failures(cells) == 0 ? success : failure;
}

}  // namespace

void add_density_command(CLI::App& bench, context& shared) {
  CLI::App* density =
      bench.add_subcommand("density", "Benchmark I: building and dropping containers");
  const auto options = std::make_shared<density_options>();
  add_options(*density, *options);
  density->callback([&shared, options] {
    shared.chosen = [&shared, options] { return run_bench(*options, shared); };
  });
}

}  // namespace mallard::cli
