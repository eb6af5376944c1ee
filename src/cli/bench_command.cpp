// mallard bench

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/bench_options.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/preload.hpp"
#include "cli/result_writer.hpp"
#include "cli/run_file.hpp"
#include "cli/tables.hpp"
#include "lab/bench/run.hpp"

namespace mallard::cli {
namespace {

lab::run_info describe(const bench_order& order, const std::string& command_line) {
  std::vector<std::string> peers;
  for (const lab::contender& one : order.plan.contenders) peers.push_back(one.peer);
  lab::run_info run = describe_run(order.plan.what->name, command_line, peers);
  const auto paper = order.parameters.find("paper");
  if (paper != order.parameters.end() && lab::to_string(paper->second) == "1") run.mode = "paper";
  run.repetitions = order.plan.repetitions;
  run.seed = order.plan.seed;
  run.heaps = order.rivals.heaps;
  run.parameters = order.parameters;
  run.benches = lab::words_of(*order.plan.what);
  run.skipped.insert(run.skipped.end(), order.rivals.missing.begin(), order.rivals.missing.end());
  return run;
}

// Cells of a resumed file that need not be measured again: good, with all their repetitions.
std::vector<lab::cell_result> complete_cells(const std::vector<lab::cell_result>& cells,
                                             const lab::bench_plan& plan) {
  std::vector<lab::cell_result> complete;
  for (const lab::cell_result& one : cells) {
    const bool of_series = one.bench == plan.what->parts.series;
    if (one.ok() && (of_series || one.repetitions() >= plan.repetitions)) complete.push_back(one);
  }
  return complete;
}

// A line for each failed cell; returns whether there are any.
bool report_failures(const std::vector<lab::cell_result>& cells) {
  bool any = false;
  for (const lab::cell_result& cell : cells) {
    if (cell.ok()) continue;
    any = true;
    fmt::print(stderr, "mallard: {}, {}, {} ({} heap) failed: {}\n", cell.bench,
               lab::to_string(cell.at), lab::contender_text(cell), cell.heap, cell.error);
  }
  return any;
}

// Measures, writes the result file, prints tables and what can be done with the results. Gives the
// exit status. Throws usage_error, or std::runtime_error as result_writer does.
int run_bench(const lab::bench& what, const bench_options& options, const context& shared) {
  preload_malloc(options.malloc);
  const bench_order order = make_order(what, options);
  lab::check_any_kernel(order.plan);
  const lab::run_info run = describe(order, shared.command_line);
  result_writer writer = open_results({options.json, options.resume, options.force}, run);
  warn_of_run(run);
  const auto earlier = complete_cells(writer.earlier(), order.plan);
  std::vector<lab::cell_result> cells = earlier;
  const lab::bench_end end = measure_into(writer, cells, [&](const lab::bench_events& events) {
    return lab::run_bench(order.plan, earlier, events);
  });
  if (end == lab::bench_end::interrupted) return tell_interrupted(writer);
  fmt::print("{}", tables(cells, main_peer(run), use_colour(shared.colour, STDOUT_FILENO)));
  fmt::print("{}", speed_ups(cells));
  tell_results(run, writer.path().string());
  return report_failures(cells) ? failure : success;
}

}  // namespace

void add_bench_command(command_parser app, const context& shared) {
  const std::string left_out = lab::has_all_benches() ? "" : "; this build has only some";
  const command_parser bench = app.add_command(
      "bench", "Run a bench: strategies, structures or mallocs side by side" + left_out);
  bench.require_command();
  for (const lab::bench& one : lab::all_benches()) {
    const command_parser command = bench.add_command(one.name, one.summary);
    const auto options = std::make_shared<bench_options>();
    add_bench_options(command, one, *options);
    command.runs([&shared, options, &one] { return run_bench(one, *options, shared); });
  }
  add_bench_list_command(bench);
}

}  // namespace mallard::cli
