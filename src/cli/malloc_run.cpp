#include "cli/malloc_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/cli.hpp"
#include "cli/malloc_table.hpp"
#include "cli/measuring.hpp"
#include "cli/run_file.hpp"
#include "cli/series_table.hpp"

namespace mallard::cli {
namespace {

lab::run_info describe(const lab::malloc_plan& plan, const malloc_request& request,
                       const std::string& command_line) {
  lab::run_info run = describe_run(plan.bench, command_line, {});
  run.repetitions = plan.repetitions;
  run.seed = plan.seed;
  run.heaps = {"clean"};
  run.parameters = request.parameters;
  run.skipped = request.missing;
  return run;
}

}  // namespace

int run_malloc_bench(const lab::malloc_plan& plan, const malloc_request& request,
                     const malloc_options& options, const context& shared) {
  const lab::run_info run = describe(plan, request, shared.command_line);
  result_writer writer = open_results(options.file(), run);
  warn_of_run(run);

  const auto earlier =
      complete_cells(writer.earlier_series(), plan.repetitions,
                     [](const auto& cell) { return cell.measures.begin()->second.samples.size(); });
  std::vector<lab::series_cell> cells = earlier;
  const auto end =
      measure_into(writer, cells, [&](const lab::bench_events<lab::series_cell>& events) {
        return lab::run_malloc_bench(plan, earlier, events);
      });
  if (end == lab::bench_end::interrupted) return tell_interrupted(writer);
  fmt::print("{}", malloc_tables(cells, use_colour(shared.colour, STDOUT_FILENO)));
  tell_results(run, writer.path().string());
  const bool failures = report_failures(cells, [](const lab::series_cell& cell) {
    return fmt::format("{} {} on {}", cell.bench, describe_place(cell.at), cell.malloc);
  });
  return failures ? failure : success;
}

}  // namespace mallard::cli
