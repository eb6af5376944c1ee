#include "cli/series_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/cli.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_bar.hpp"
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

// Cells that need not be measured again: the good ones with all their repetitions.
std::vector<lab::series_cell> complete_cells(const std::vector<lab::series_cell>& cells,
                                             unsigned repetitions) {
  std::vector<lab::series_cell> complete;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(complete), [&](const auto& one) {
    return one.ok() && one.measures.begin()->second.samples.size() >= repetitions;
  });
  return complete;
}

std::size_t report_failures(const std::vector<lab::series_cell>& cells) {
  std::size_t failures = 0;
  for (const lab::series_cell& cell : cells) {
    if (cell.ok()) continue;
    ++failures;
    fmt::print(stderr, "mallard: {} {} {} ({} heap) failed: {}\n", cell.bench,
               describe_place(cell.at), lab::column_name(cell.strategy, cell.peer), cell.heap,
               cell.error);
  }
  return failures;
}

void print_results(const std::vector<lab::series_cell>& cells, const lab::run_info& run,
                   const std::string& file, bool colour) {
  const std::string peer = run.peers.empty() ? "mallard" : run.peers.front().name;
  fmt::print("{}", series_tables(cells, peer, colour));
  fmt::print("{}", series_speed_ups(cells));
  fmt::print("\nResults: {}\nTo measure again: {}\n", file, run.command);
  for (std::size_t i = 1; i < run.peers.size(); ++i) {
    fmt::print("The same tables for {0}: mallard show {1} --peer {0}\n", run.peers[i].name, file);
  }
  fmt::print("As a page: mallard report {} -o report.html\n", file);
}

}  // namespace

int run_series_bench(const series_request& request, const series_options& options,
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
  result_writer writer = open_results({options.json, options.resume, options.force}, run);
  warn_of_run(run);

  const auto earlier = complete_cells(writer.earlier_series(), plan.repetitions);
  std::vector<lab::series_cell> cells = earlier;
  lab::bench_end end{};
  {
    const interrupt_guard guard;
    progress_bar bar;
    const lab::series_events events{.cell =
                                        [&](const lab::series_cell& cell) {
                                          writer.write(cell);
                                          cells.push_back(cell);
                                        },
                                    .step = [&](const lab::progress& now) { bar.show(now); },
                                    .interrupted = was_interrupted};
    end = lab::run_series(plan, earlier, events);
  }
  if (end == lab::bench_end::interrupted) return tell_interrupted(writer);
  print_results(cells, run, writer.path().string(), use_colour(shared.colour, STDOUT_FILENO));
  return report_failures(cells) == 0 ? success : failure;
}

}  // namespace mallard::cli
