// mallard whatif
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/profile_text.hpp"
#include "cli/run_file.hpp"
#include "cli/terminal.hpp"
#include "cli/text_table.hpp"
#include "cli/usage_error.hpp"
#include "cli/whatif_results.hpp"
#include "lab/measuring/statistics.hpp"
#include "process/process.hpp"
#include "process/repeatable_input.hpp"
#include "whatif/whatif.hpp"

namespace mallard::cli {
namespace {

using whatif::whatif_outcome;
using whatif::whatif_result;

struct whatif_request {
  whatif::whatif_options options;
  std::vector<std::string> routes;
  bool each = false;
  std::optional<std::string> json;
};

whatif::whatif_route parse(const std::string& word) {
  const std::size_t at = word.rfind('=');
  if (at == word.npos || at == 0 || at + 1 == word.size()) {
    throw usage_error(fmt::format("--route: '{}' is not PATTERN=STRATEGY", word));
  }
  return {word.substr(0, at), word.substr(at + 1)};
}

void add_outcome(const whatif_outcome& one, text_table& table, bool colour) {
  const std::string name = fitted(one.variant, 32);
  if (one.runs == 0) {
    table.add_line(fmt::format("{}  {}", name, one.remark.empty() ? "not run" : one.remark));
    return;
  }
  const style how = one.low > 1 ? style::good : one.high < 1 ? style::bad : style::faint;
  const std::string gain = one.remark.empty() ? fmt::format("{:.2f}", one.median) : "";
  const std::string range = one.remark.empty() ? fmt::format("{:.2f} to {:.2f}", one.low, one.high)
                                               : "too little to tell";
  table.add({name, gain.empty() ? gain : styled(gain, how, colour), styled(range, how, colour),
             one.memory > 0 ? fmt::format("{:.2f}", one.memory) : "–",
             base::time_text(one.seconds.median), base::time_text(one.processor_seconds.median),
             base::bytes_text(one.resident_bytes.median),
             fmt::format("{:.0f}", one.page_faults.median)});
  if (!one.remark.empty()) table.add_line("  " + one.remark);
}

void add_routes(const whatif_outcome& one, text_table& table) {
  for (const whatif::route_outcome& route : one.routes) {
    std::string line = fmt::format("  {}={}: {} blocks, {} requested, at most {} held",
                                   route.pattern, route.strategy, route.blocks,
                                   bytes_text(route.bytes), bytes_text(route.peak_bytes));
    if (route.resets != 0) line += fmt::format(", {} resets", route.resets);
    if (route.survivors != 0) line += fmt::format(", {} survivors", route.survivors);
    if (route.passed_on != 0) line += fmt::format(", {} passed on", route.passed_on);
    table.add_line(std::move(line));
    if (route.survivor_names.empty()) continue;
    constexpr std::size_t most = 4;
    const auto first = route.survivor_names.begin();
    const auto last =
        first + static_cast<std::ptrdiff_t>(std::min(route.survivor_names.size(), most));
    table.add_line(
        fmt::format("    survivors were requested in: {}", fmt::join(first, last, ", ")));
  }
}

void print(const whatif_result& result, bool colour) {
  text_table table({{"", text_table::left},
                    {"times as fast"},
                    {""},
                    {"memory"},
                    {"elapsed"},
                    {"processor"},
                    {"peak"},
                    {"faults"}});
  for (const whatif_outcome& one : result.outcomes) {
    add_outcome(one, table, colour);
    add_routes(one, table);
  }
  fmt::print("{}", table.text(colour));
  if (result.outcomes.empty()) return;
  // The bootstrap of a few runs gives no more than their range.
  const unsigned runs = result.outcomes.front().runs;
  const auto has = [&](bool in_turns) {
    return std::any_of(result.outcomes.begin(), result.outcomes.end(), [&](const auto& one) {
      return !one.routes.empty() && one.runs > 0 && one.in_turns == in_turns;
    });
  };
  fmt::print("By {} time, {}{}{}.\n", result.by_processor_time ? "processor" : "elapsed",
             runs == 1 ? "one run"
             : runs < lab::fewest_for_interval
                 ? fmt::format("medians of {} runs, with their range", runs)
                 : fmt::format("medians of {} runs with 95 % intervals", runs),
             has(false)
                 ? fmt::format("; the hook's own time ({}) is subtracted from that of routes",
                               base::time_text(result.hook_seconds))
                 : "",
             has(true) ? "; within a run, the arena and the program's malloc take turns, and "
                         "comparing the turns shows what the arena saves"
                       : "");
  if (has(false) || has(true)) {
    fmt::print(
        "The ratios of routes are without the hook that sends blocks there; their other "
        "figures are with it.\n");
  }
  if (result.status != 0) {
    fmt::print("The program {} in each run, also unmodified.\n",
               process::describe_end(result.status));
  }
}

// Checks the output paths before anything runs; a refused command leaves no file.
void check_results_file(const whatif_request& request) {
  if (!request.json) return;
  namespace fs = std::filesystem;
  const fs::path path = *request.json;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (fs::is_directory(path)) throw usage_error(path.string() + ": is a folder");
  if (access((fs::exists(path) ? path : folder).c_str(), W_OK) != 0) {
    throw usage_error(fmt::format("{}: cannot be written: {}", path.string(), strerror(errno)));
  }
}

void write_results(const whatif_request& request, const context& shared,
                   const whatif_result& result) {
  lab::run_info run = describe_run("whatif", shared.command_line, {"mallard"});
  run.repetitions = request.options.repetitions;
  run.seed = request.options.seed;
  run.heaps = {"clean"};
  run.parameters["unwind"] = request.options.by_frame_pointers ? "frame-pointers" : "tables";
  run.benches = whatif_words();
  result_writer writer = open_results({request.json, {}, true}, run);
  for (const lab::cell_result& one : whatif_cells(result, request.options.command.front())) {
    writer.write(one);
  }
}

int run_whatif(const whatif_request& request, const context& shared) {
  whatif::whatif_options options = request.options;
  if (options.repetitions == 0) throw usage_error("--repetitions takes 1 or more");
  if (!std::isfinite(options.time_budget) || options.time_budget < 0) {
    throw usage_error("--budget takes seconds; 0 means no limit");
  }
  for (const std::string& word : request.routes) {
    if (options.variants.empty() || request.each) {
      options.variants.push_back({request.each ? word : "with routes", {}});
    }
    options.variants.back().routes.push_back(parse(word));
  }
  if (options.variants.empty() && options.mallocs.empty()) {
    throw usage_error("nothing to try: add --route PATTERN=STRATEGY or --malloc NAME");
  }
  check_results_file(request);
  const interrupt_guard guard;
  options.interrupted = was_interrupted;
  whatif_result result;
  try {
    const bool has_input = process::make_input_repeatable(was_interrupted, [] {
      fmt::print(stderr, "mallard: reads standard input to its end, since each run needs it\n");
    });
    if (!has_input) fmt::print(stderr, "mallard: {}\n", process::silent_input);
    result = try_whatif(options);
  } catch (const std::runtime_error& problem) {
    throw usage_error(problem.what());
  }
  if (was_interrupted() && result.outcomes.empty()) {
    fmt::print(stderr,
               "mallard: interrupted before all variants had run once, so there are no figures\n");
    return interrupted;
  }
  print(result, use_colour(shared.colour, STDOUT_FILENO));
  if (request.json) {
    write_results(request, shared, result);
    fmt::print("Results: {}\n", *request.json);
  }
  if (was_interrupted()) {
    fmt::print(stderr, "mallard: interrupted; the figures are of the complete rounds\n");
    return interrupted;
  }
  // Why is said beside the others' figures.
  const bool all_ran = std::all_of(result.outcomes.begin(), result.outcomes.end(),
                                   [](const whatif_outcome& one) { return one.runs != 0; });
  return all_ran ? success : failure;
}

}  // namespace

void add_whatif_command(command_parser app, const context& shared) {
  const command_parser whatif = app.add_command(
      "whatif",
      "Measure a program with some of its blocks from a resource: mallard whatif --route "
      "'PATTERN=STRATEGY' -- COMMAND");
  auto request = std::make_shared<whatif_request>();
  whatif.add_option("command", request->options.command, "The program and its arguments")
      .required();
  whatif.end_options_at_words();
  whatif
      .add_option("--route", request->routes,
                  "Send blocks to a resource: conditions joined by + (function:REGEX, "
                  "not:REGEX, line:FILE:FIRST-LAST, scope:NAME, module:GLOB, size:LOW-HIGH; a bare "
                  "word is a function), then = "
                  "and monotonic, multipool, multipool-on-monotonic, heap or adaptive-pool")
      .takes("PATTERN=RESOURCE")
      .one_at_a_time();
  whatif.add_flag("--each", request->each, "Try each route by itself, not all of them together");
  whatif
      .add_option("--malloc", request->options.mallocs,
                  "Also try another malloc: its name or file, or all")
      .takes("MALLOC")
      .one_at_a_time();
  whatif.add_option("--repetitions", request->options.repetitions,
                    "Counted runs of each variant (default 10)");
  whatif.add_option("--budget", request->options.time_budget,
                    "Start no round of runs that would end after this many seconds (0: no limit)");
  whatif.add_flag(
      "--check-output", request->options.check_output,
      "Discard variants whose output or exit status differs from the unmodified program's");
  whatif.add_choice("--unwind", request->options.by_frame_pointers,
                    {{"tables", false}, {"frame-pointers", true}},
                    "Unwind stacks by exception tables, or by frame pointers");
  whatif.add_new_file("--json", request->json, "Result file, for show, compare and report");
  whatif.runs([&shared, request] { return run_whatif(*request, shared); });
}

}  // namespace mallard::cli
