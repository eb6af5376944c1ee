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
#include "cli/progress_bar.hpp"
#include "cli/result_writer.hpp"
#include "cli/usage_error.hpp"
#include "lab/build.hpp"
#include "lab/density.hpp"
#include "lab/machine.hpp"
#include "lab/peers.hpp"

namespace mallard::cli {
namespace {

lab::run_info describe(const lab::density_plan& plan, const density_options& options,
                       const std::string& command_line) {
  lab::run_info run;
  run.version = lab::mallard_version();
  run.bench = "density";
  run.command = command_line;
  run.date = lab::utc_now();
  run.machine = lab::this_machine();
  run.build = lab::this_build();
  run.mode = options.paper ? "paper" : "fair";
  run.scale = plan.scale;
  run.leaves = plan.leaves();
  run.repetitions = plan.repetitions;
  run.seed = plan.seed;
  run.heaps = plan.heaps;
  for (const auto& peer : lab::available_peers()) {
    if (std::any_of(plan.columns.begin(), plan.columns.end(),
                    [&](const lab::column& one) { return one.peer == peer.name; })) {
      run.peers.push_back(peer);
    }
  }
  run.skipped = lab::missing_peers();
  return run;
}

std::filesystem::path default_file(const std::string& date) {
  std::string name = date;
  std::erase(name, ':');
  std::filesystem::create_directories("results");
  return std::filesystem::path("results") / fmt::format("density-{}.jsonl", name);
}

// What the reader of the figures must know, before they are taken.
void warn(const lab::run_info& run) {
  for (const std::string& warning : lab::build_warnings()) {
    fmt::print(stderr, "mallard: warning: {}: these figures are not worth quoting\n", warning);
  }
  for (const lab::skipped_peer& peer : run.skipped) {
    fmt::print(stderr, "mallard: peer {} is skipped: {}\n", peer.peer, peer.reason);
  }
  if (run.mode == "paper") {
    fmt::print(stderr,
               "mallard: paper mode repeats the original's choices, unfair ones included "
               "(docs/method.md)\n");
  }
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
  const lab::density_plan plan = make_plan(options);
  const lab::run_info run = describe(plan, options, shared.command_line);
  if (options.resume && !options.json) {
    throw usage_error("--resume needs the file to go on with: --json FILE");
  }
  const auto policy = options.resume  ? existing_file::resume
                      : options.force ? existing_file::replace
                                      : existing_file::refuse;
  const std::filesystem::path file =
      options.json ? std::filesystem::path(*options.json) : default_file(run.date);
  result_writer writer(file, run, policy);
  warn(run);

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
  if (end == lab::density_end::interrupted) {
    fmt::print(stderr,
               "mallard: interrupted; what was measured is in {} (the same command with --json {} "
               "--resume goes on)\n",
               writer.path().string(), writer.path().string());
    return interrupted;
  }
  print_tables(cells, run, writer.path(), use_colour(shared.colour, STDOUT_FILENO));
  return report_failures(cells) == 0 ? success : failure;
}

}  // namespace

void add_bench_command(CLI::App& app, context& shared) {
  CLI::App* bench = app.add_subcommand("bench", "Measure");
  bench->require_subcommand(1);
  CLI::App* density =
      bench->add_subcommand("density", "Benchmark I: building and dropping containers");
  const auto options = std::make_shared<density_options>();
  add_options(*density, *options);
  density->callback([&shared, options] {
    shared.chosen = [&shared, options] { return run_bench(*options, shared); };
  });
  add_bench_list_command(*bench, shared);
}

}  // namespace mallard::cli
