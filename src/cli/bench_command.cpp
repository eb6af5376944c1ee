// mallard bench density, mallard bench list
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/heat_map.hpp"
#include "cli/interrupt.hpp"
#include "cli/lists.hpp"
#include "cli/progress_bar.hpp"
#include "cli/result_writer.hpp"
#include "cli/usage_error.hpp"
#include "lab/build.hpp"
#include "lab/density.hpp"
#include "lab/machine.hpp"
#include "lab/peers.hpp"

namespace mallard::cli {
namespace {

// The options as they were typed.
struct density_options {
  std::string structures = "all";
  std::optional<std::string> sizes;
  std::string strategies = "all";
  std::string peers = "all";
  std::optional<std::string> heaps;
  std::optional<std::string> scale;
  std::optional<unsigned> repetitions;
  std::uint64_t seed = 1;
  std::optional<std::string> json;
  std::optional<std::string> memory_limit;
  double timeout = 300;
  bool quick = false;
  bool fair = false;
  bool paper = false;
  bool resume = false;
  bool force = false;
};

// What --quick changes: small enough for all structures, strategies and heaps in a few minutes.
struct defaults {
  const char* sizes;
  const char* scale;
  const char* heaps;
  unsigned repetitions;
};
constexpr defaults usual = {"6,10,14", "1/64", "clean", 5};
constexpr defaults quick = {"6,8,10", "1/1024", "clean,aged", 3};

lab::density_plan make_plan(const density_options& options) {
  const defaults& preset = options.quick ? quick : usual;
  lab::density_plan plan;
  plan.structures = parse_structures(options.structures);
  plan.sizes = parse_sizes(options.sizes.value_or(preset.sizes));
  plan.columns =
      lab::make_columns(parse_strategies(options.strategies), parse_peers(options.peers));
  plan.heaps = parse_heaps(options.heaps.value_or(preset.heaps));
  plan.scale = parse_scale(options.scale.value_or(preset.scale));
  plan.repetitions = options.repetitions.value_or(preset.repetitions);
  plan.choices = options.paper ? lab::mode::paper : lab::mode::fair;
  plan.seed = options.seed;
  plan.timeout_seconds = options.timeout;
  if (options.memory_limit) {
    plan.memory_limit = parse_bytes("--memory-limit", *options.memory_limit);
  }
  if (plan.columns.empty()) {
    throw usage_error("none of the peers has any of the strategies (see 'mallard bench list')");
  }
  return plan;
}

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
  fmt::print("\nResults: {}\n", path.string());
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

int list_everything() {
  fmt::print("Benches\n  density  Benchmark I of P0089R1: building and dropping containers\n");
  fmt::print("\nData structures\n");
  for (const lab::structure& ds : lab::all_structures()) {
    fmt::print("  {:<5} {}\n", ds.name, ds.type);
  }
  fmt::print("\nStrategies\n");
  for (const lab::strategy& one : lab::all_strategies()) {
    const char* buffer =
        one.what == lab::mechanism::monotonic && !one.callers_buffer ? ", no caller's buffer" : "";
    fmt::print("  {:<5} {}, {}, {}{}\n", one.name, lab::to_string(one.what),
               lab::to_string(one.how), lab::to_string(one.end), buffer);
  }
  fmt::print("\nHeaps\n  clean  as it is at the start of a program\n");
  fmt::print("  aged   full of holes, and settled; the same for every strategy\n");
  fmt::print("\nPeers\n");
  for (const auto& peer : lab::available_peers()) {
    fmt::print("  {:<8} {}\n", peer.name, peer.version);
  }
  for (const auto& peer : lab::missing_peers()) {
    fmt::print("  {:<8} skipped: {}\n", peer.peer, peer.reason);
  }
  return success;
}

void add_options(CLI::App& density, density_options& options) {
  density.add_option("--ds", options.structures, "Data structures, like 1,2,9-12 (default: all)");
  density.add_option("--sizes", options.sizes,
                     "log2 of the outer container, 4 to 20 (default: 6,10,14)");
  density.add_option("--strategies", options.strategies, "Like AS1,AS3-AS6,AS3n (default: all)");
  density.add_option("--peers", options.peers, "Whose resources (default: all that are there)");
  density.add_option("--heap", options.heaps, "clean, aged or both (default: clean)");
  density.add_option("--scale", options.scale,
                     "Part of the paper's 2^27 leaf insertions per cell (default: 1/64)");
  density.add_option("--reps", options.repetitions, "Repetitions of each cell (default: 5)")
      ->check(CLI::Range(1U, 10000U).description(""));
  density.add_option("--seed", options.seed, "Of the strings, the order and the intervals");
  density.add_option("--json", options.json, "Result file (default: results/density-DATE.jsonl)");
  density.add_option("--memory-limit", options.memory_limit,
                     "Address space of a measuring process, like 2G (default: none)");
  density.add_option("--timeout", options.timeout, "Seconds a repetition may take (default: 300)")
      ->check(CLI::Range(0.001, 1e6).description(""));
  density.add_flag("--quick", options.quick,
                   "Smaller defaults: sizes 6,8,10, both heaps, scale 1/1024, 3 repetitions");
  auto* fair = density.add_flag("--fair", options.fair, "The same work for all (default)");
  density.add_flag("--paper", options.paper, "The original's choices, unfair ones included")
      ->excludes(fair);
  auto* resume = density.add_flag("--resume", options.resume,
                                  "Go on with the result file: skip the cells that it has");
  density.add_flag("--force", options.force, "Replace the result file if there is one")
      ->excludes(resume);
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
  bench->add_subcommand("list", "What can be measured: structures, strategies, peers")
      ->callback([&shared] { shared.chosen = list_everything; });
}

}  // namespace mallard::cli
