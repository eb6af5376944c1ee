#include "cli/series_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/cli.hpp"
#include "cli/measuring.hpp"
#include "cli/run_file.hpp"
#include "cli/series_table.hpp"
#include "cli/usage_error.hpp"
#include "lab/peers.hpp"

namespace mallard::cli {
namespace {

std::vector<std::string> peers_of(const lab::series_plan& plan) {
  std::vector<std::string> peers;
  for (const lab::planned_cell& cell : plan.cells) peers.push_back(cell.key.peer);
  return peers;
}

}  // namespace

int run_series_bench(const series_request& request, const run_options& options,
                     const context& shared) {
  const lab::series_plan& plan = request.plan;
  if (plan.cells.empty()) {
    throw usage_error(
        "there is nothing to measure: none of the peers has any of the strategies in these forms "
        "and sizes (see 'mallard bench list')");
  }
  lab::run_info run = describe_run(request.bench, shared.command_line, peers_of(plan));
  run.repetitions = plan.repetitions;
  run.seed = plan.seed;
  run.heaps = plan.heaps;
  run.parameters = request.parameters;
  result_writer writer = open_results(options.file(), run);
  warn_of_run(run);

  const auto earlier =
      complete_cells(writer.earlier_series(), plan.repetitions,
                     [](const auto& cell) { return cell.measures.begin()->second.samples.size(); });
  std::vector<lab::series_cell> cells = earlier;
  const auto end = measure_into(writer, cells, [&](const lab::series_events& events) {
    return lab::run_series(plan, earlier, events);
  });
  if (end == lab::bench_end::interrupted) return tell_interrupted(writer);
  fmt::print("{}", series_tables(cells, main_peer(run), use_colour(shared.colour, STDOUT_FILENO)));
  fmt::print("{}", series_speed_ups(cells));
  tell_results(run, writer.path().string());
  const bool failures = report_failures(cells, [](const lab::series_cell& cell) {
    return fmt::format("{} {} {} ({} heap)", cell.bench, describe_place(cell.at),
                       lab::column_name(cell.strategy, cell.peer), cell.heap);
  });
  return failures ? failure : success;
}

}  // namespace mallard::cli
