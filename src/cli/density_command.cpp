// mallard bench density
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/density_options.hpp"
#include "cli/heat_map.hpp"
#include "cli/measuring.hpp"
#include "cli/preload.hpp"
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
                  bool colour) {
  for (const std::string& heap : run.heaps) {
    fmt::print("{}", heat_maps(cells, heap, main_peer(run), colour));
  }
  for (const std::string& heap : run.heaps) fmt::print("{}", speed_ups(cells, heap));
}

int run_bench(const density_options& options, const context& shared) {
  preload_malloc(options.malloc);
  const lab::density_plan plan = make_plan(options);
  const lab::run_info run = describe(plan, options, shared.command_line);
  result_writer writer = open_results(options.file(), run);
  warn_of_run(run);

  const auto earlier = complete_cells(writer.earlier(), plan.repetitions,
                                      [](const auto& cell) { return cell.seconds.size(); });
  std::vector<lab::cell_result> cells = earlier;
  const auto end = measure_into(writer, cells, [&](const lab::density_events& events) {
    return lab::run_density(plan, earlier, events);
  });
  if (end == lab::density_end::interrupted) return tell_interrupted(writer);
  print_tables(cells, run, use_colour(shared.colour, STDOUT_FILENO));
  tell_results(run, writer.path().string());
  const bool failures = report_failures(cells, [](const lab::cell_result& cell) {
    return fmt::format("{} 2^{} {} ({} heap)", cell.key.ds, cell.key.size,
                       lab::column_name(cell.key.strategy, cell.key.peer), cell.key.heap);
  });
  return failures ? failure : success;
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
