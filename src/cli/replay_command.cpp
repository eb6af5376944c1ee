// mallard replay
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/grouping_options.hpp"
#include "cli/newest_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/profile_text.hpp"
#include "cli/replay_text.hpp"
#include "cli/result_writer.hpp"
#include "cli/run_file.hpp"
#include "cli/terminal.hpp"
#include "cli/usage_error.hpp"
#include "lab/bench/axis.hpp"
#include "lab/bench/rivals.hpp"
#include "replay/session.hpp"

namespace mallard::cli {
namespace {

struct replay_command_options {
  std::string trace;
  grouping_options grouping;
  std::vector<std::string> only;
  std::optional<std::string> strategies;
  std::optional<std::string> peers;
  std::optional<std::string> mallocs;
  std::optional<std::string> touch;
  replay::replay_order order = replay::replay_order::partial;
  replay::think_time think = replay::think_time::none;
  replay::heap_condition heap = replay::heap_condition::aged;
  std::optional<unsigned> repetitions;
  std::uint64_t seed = 1;
  bool quick = false;
  std::optional<std::string> json;
  bool force = false;
};

// Each with its name.
template <class Value>
std::vector<std::pair<std::string, Value>> choices(std::initializer_list<Value> all) {
  std::vector<std::pair<std::string, Value>> out;
  for (const Value one : all) out.emplace_back(replay::to_string(one), one);
  return out;
}

// Those of the lab's tables, and what replays have beside them.
std::vector<std::string> parse_strategies(const std::string& text) {
  std::vector<std::string> own;
  std::string others;
  for (const std::string& word : lab::split_list(text)) {
    if (word == "heap" || word == "sync-heap" || word == "adaptive") {
      own.push_back(word);
    } else {
      if (!others.empty()) others += ',';
      others += word;
    }
  }
  if (others.empty() && !own.empty()) return own;
  std::vector<std::string> all = lab::parse_strategies("--strategies", others);
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

replay::touch_level parse_touch(const std::string& word) {
  using replay::touch_level;
  std::string known;
  for (const auto& [name, level] :
       choices({touch_level::none, touch_level::first, touch_level::all, touch_level::walk})) {
    if (name == word) return level;
    known += (known.empty() ? "" : ", ") + name;
  }
  lab::unknown_value("--touch", word, known);
}

replay::replay_options parse(const replay_command_options& options) {
  using namespace replay;
  replay_options out;
  out.grouping = parse_subsystems(options.grouping);
  out.subsystems = options.only;
  if (options.strategies || options.quick) {
    out.strategies =
        parse_strategies(options.strategies.value_or("AS2,AS3,AS4,AS5,AS7,AS8,AS9,AS11,AS12,sync"));
  }
  if (options.peers || options.quick) {
    out.peers = lab::parse_peers(options.peers.value_or("mallard"));
  }
  if (options.mallocs) {
    out.mallocs.clear();
    if (*options.mallocs != "none") out.mallocs = lab::split_list(*options.mallocs);
  }
  if (options.touch || options.quick) {
    out.touch.clear();
    for (const std::string& word : lab::split_list(options.touch.value_or("walk"))) {
      out.touch.push_back(parse_touch(word));
    }
  }
  out.order = options.order;
  out.think = options.think;
  out.heap = options.heap;
  out.repetitions = options.repetitions.value_or(options.quick ? 3 : 5);
  out.seed = options.seed;
  return out;
}

lab::run_info describe(const replay::replay_session& session, const replay_command_options& options,
                       const std::string& command_line) {
  std::vector<std::string> peers;
  for (const lab::contender& one : session.plan().contenders) peers.push_back(one.peer);
  lab::run_info run = describe_run("replay", command_line, peers);
  run.repetitions = session.plan().repetitions;
  run.seed = options.seed;
  run.heaps = {std::string(replay::to_string(options.heap))};
  run.parameters = session.parameters();
  run.parameters["trace"] = options.trace;
  run.skipped = session.missing();
  run.benches = lab::words_of(*session.plan().what);
  return run;
}

int run_replay(replay_command_options options, const context& shared) {
  options.trace = trace_or_newest(options.trace);
  if (options.json) expect_other_file(options.trace, *options.json);
  const bool colour = use_colour(shared.colour, STDOUT_FILENO);
  const auto opened = open_trace(options.trace);
  profile::trace_reader& trace = *opened;
  std::optional<replay::replay_session> session;
  try {
    session.emplace(trace, parse(options));
  } catch (const replay::replay_error& wrong) {
    throw usage_error(fmt::format("{}: {}", options.trace, wrong.what()));
  }
  warn_if_not_whole(trace, options.trace);
  lab::run_info run = describe(*session, options, shared.command_line);
  result_writer writer = open_results({options.json, {}, options.force}, run);
  for (const std::string& warning : lab::build_warnings()) {
    fmt::print(stderr, "mallard: warning: {}: these figures are not worth quoting\n", warning);
  }
  fmt::print("{}", subjects_text(*session));
  std::fflush(stdout);
  std::vector<lab::cell_result> cells;
  const lab::bench_end end = measure_into(writer, cells, [&](const lab::bench_events& events) {
    return replay::run_replay(*session, session->plan(), {}, events);
  });
  fmt::print("{}{}", outcomes_text(*session, session->outcomes(cells), colour), loop_text(cells));
  if (end == lab::bench_end::interrupted) {
    fmt::print(stderr, "mallard: interrupted; the results so far are in {}\n",
               writer.path().string());
    return interrupted;
  }
  fmt::print(
      "\nResults: {0}\nTo measure again: {1}\nAs a page: mallard report {0} -o report.html\n",
      writer.path().string(), run.command);
  int status = success;
  for (const lab::cell_result& cell : cells) {
    if (cell.ok()) continue;
    fmt::print(stderr, "mallard: {}, {} failed: {}\n", lab::to_string(cell.at),
               lab::contender_text(cell), cell.error);
    status = failure;
  }
  return status;
}

}  // namespace

void add_replay_command(command_parser app, const context& shared) {
  const command_parser command = app.add_command(
      "replay", "Run a recorded program's heap operations again, under every strategy and malloc");
  const auto options = std::make_shared<replay_command_options>();
  command.add_option("TRACE", options->trace, trace_only_help);
  add_grouping_options(command, options->grouping, resource_blocks::without);
  command
      .add_option("--only", options->only,
                  "Only these subsystems; (all) is the program (default: it and the three largest)")
      .separated_by(',');
  command
      .add_option(
          "--strategies", options->strategies,
          "Like AS2,AS3,AS7-AS9,sync,mutex,heap,sync-heap,adaptive (default: all but mutex)")
      .takes("STRATEGY");
  command
      .add_option("--peers", options->peers,
                  "Libraries whose resources are measured (default: all available)")
      .takes("PEER");
  command
      .add_option("--mallocs", options->mallocs,
                  "Like mallard,jemalloc, all or none (default: all found)")
      .takes("MALLOC");
  command.add_option("--touch", options->touch,
                     "Touch blocks: none, first, all, walk (default: first,walk)");
  using replay::heap_condition, replay::replay_order, replay::think_time;
  command.add_choice("--order", options->order,
                     choices({replay_order::partial, replay_order::serial, replay_order::free_run}),
                     "Threads: in the partial order, they wait for blocks of others");
  command.add_choice("--think", options->think,
                     choices({think_time::none, think_time::scaled, think_time::recorded}),
                     "Time between operations");
  command.add_choice("--heap", options->heap,
                     choices({heap_condition::aged, heap_condition::clean}),
                     "The heap before the measurement");
  command.add_option("--repetitions", options->repetitions, "Repetitions of each (default 5)")
      .within(1, 1000);
  command.add_option("--seed", options->seed, "Seed of ageing and of the order of repetitions");
  command.add_flag("--quick", options->quick,
                   "Only our resources, fewer strategies, one touch level, 3 repetitions");
  command.add_option("--json", options->json,
                     "Result file (default: a new one in the folder results)");
  command.add_flag("--force", options->force, "Replace the result file if it exists");
  command.runs([&shared, options] { return run_replay(*options, shared); });
}

}  // namespace mallard::cli
