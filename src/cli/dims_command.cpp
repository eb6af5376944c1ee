// mallard dims
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/grouping_options.hpp"
#include "cli/newest_trace.hpp"
#include "cli/profile_text.hpp"
#include "cli/usage_error.hpp"
#include "profile/analysis.hpp"
#include "profile/import/dhat_dims.hpp"
#include "profile/result_json.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::cli {
namespace {

struct dims_options {
  std::string trace;
  grouping_options grouping;
  std::size_t windows = 100;
  bool json = false;
  bool csv = false;
  bool all = false;
};

constexpr std::string_view letters[] = {"D", "V", "L", "U", "C", "F"};
std::array<const profile::dimension*, 6> in_order(const profile::dimensions& dims) {
  return {&dims.D, &dims.V, &dims.L, &dims.U, &dims.C, &dims.F};
}

void print_dims_row(const profile::subsystem& one, std::uint64_t all_bytes, std::size_t width,
                    bool colour) {
  const double share = all_bytes == 0 ? 0
                                      : 100.0 * static_cast<double>(one.total.bytes) /
                                            static_cast<double>(all_bytes);
  fmt::print("  {:<{}} {:>9} {:>4.0f} %", fitted(one.name, width), width,
             bytes_text(one.total.bytes), share);
  for (const profile::dimension* value : in_order(one.dims)) {
    fmt::print("  {}", value_with_bar(value->scaled, colour));
  }
  fmt::print("\n");
}

bool was_recorded(const profile::dims_result& result, std::string_view what) {
  const auto& missing = result.not_recorded;
  return std::find(missing.begin(), missing.end(), what) == missing.end();
}

// Why there is no D: everything else is missing only where the trace says so.
void print_what_is_missing(const profile::dims_result& result, bool colour) {
  const bool some = std::any_of(result.subsystems.begin(), result.subsystems.end(),
                                [](const auto& one) { return !one.dims.D.scaled; });
  if (result.all.dims.D.scaled && !some) return;
  if (!was_recorded(result, "times")) return;  // said already
  const char* const why =
      result.all.cpu_ns == 0
          ? "D -: there is no sample of processor time; the run was too short, or recorded without"
      : !result.all.dims.D.scaled ? "D -: no operation was timed; one of 64 is"
                                  : "D -: no sample of processor time fell into these functions";
  fmt::print("  {}\n", styled(why, style::faint, colour));
}

void print_table(const profile::dims_result& result, bool colour) {
  std::size_t width = std::string_view("the whole program").size();
  for (const auto& one : result.subsystems) width = std::max(width, one.name.size());
  width = std::min<std::size_t>(width, 34);
  fmt::print("\n{}\n", styled("The six dimensions, each from 0 to 1 (without a scale; --csv and "
                              "--json have the literal formulas too)",
                              style::bold, colour));
  fmt::print("  {:<{}} {:>9} {:>6}", "subsystem", width, "bytes", "share");
  for (const auto letter : letters) fmt::print("  {:<9}", letter);
  fmt::print("\n");
  profile::subsystem all = result.all;
  all.name = "the whole program";
  print_dims_row(all, result.total.bytes, width, colour);
  std::size_t shown_rows = 0;
  for (const auto& one : result.subsystems) {
    if (++shown_rows > 30) break;
    print_dims_row(one, result.total.bytes, width, colour);
  }
  if (result.subsystems.size() > 30) {
    fmt::print("  and {} more (--json has all)\n", result.subsystems.size() - 30);
  }
  print_what_is_missing(result, colour);
}

void print_scopes(const profile::dims_result& result, bool all, bool colour) {
  fmt::print("\n{}\n", styled("Where an arena would go", style::bold, colour));
  if (result.arena_scopes.empty()) {
    fmt::print("  {}\n", was_recorded(result, "the order of operations")
                             ? "nowhere: no function's blocks are dead when it returns"
                             : "not known: it takes the order of operations");
    return;
  }
  fmt::print("  {:<40} {:>8} {:>11} {:>7} {:>9} {:>9} {:>9}  {}\n", "function", "threads",
             "invocations", "dead", "median", "p99", "max", "");
  std::size_t rows = 0;
  for (const auto& one : result.arena_scopes) {
    if (!all && ++rows > 20) break;
    std::string remark = one.marked ? "marked in the source" : "";
    if (one.trunk) remark = "the whole run: an arena there is the program's exit";
    if (one.confidence == "low") remark = "a guess: frame addresses are not known";
    fmt::print("  {:<40} {:>8} {:>11} {:>5.1f} % {:>9} {:>9} {:>9}  {}\n",
               fitted_function(one.function, 40), one.threads.size(), one.invocations,
               std::floor(1000 * one.dead_share) / 10, bytes_text(one.median_bytes),
               bytes_text(one.p99_bytes), bytes_text(one.max_bytes),
               styled(remark, style::faint, colour));
    for (const auto& by : one.kept_by) {
      fmt::print("    {}\n", styled(fmt::format("{} of its {} blocks are kept by {}", by.survivors,
                                                one.blocks, fitted_function(by.function, 40)),
                                    style::faint, colour));
    }
    std::size_t stacks = 0;
    for (const auto& stack : one.survivor_stacks) {
      if (++stacks > 2) break;
      std::string path;
      for (std::size_t i = 0; i < std::min<std::size_t>(4, stack.frames.size()); ++i) {
        path += (i == 0 ? "" : " < ") + fitted_function(stack.frames[i], 40);
      }
      fmt::print("    {}\n",
                 styled(fmt::format("{} survive: {}", stack.blocks, path), style::faint, colour));
    }
  }
  if (!all && result.arena_scopes.size() > 20) {
    fmt::print("  and {} more (--all)\n", result.arena_scopes.size() - 20);
  }
}

// Nothing where threads were not recorded.
std::string threads_text(const profile::dims_result& result) {
  if (result.threads == 0) return "";
  return fmt::format(", {} thread{}", result.threads, result.threads == 1 ? "" : "s");
}

void print_text(const profile::dims_result& result, bool all, bool colour) {
  const auto& total = result.total;
  std::string command;
  for (const auto& word : result.command) command += (command.empty() ? "" : " ") + word;
  fmt::print("{}\n", styled(fitted(command, command.size()), style::bold, colour));
  fmt::print("{:.3f} s{}; {} allocations, {} frees, {} reallocations, {}\n",
             static_cast<double>(result.duration) / 1e9, threads_text(result), total.allocations,
             total.frees, total.reallocations, bytes_text(total.bytes));
  fmt::print(
      "at most {} live at once; {} blocks ({}) not freed; {} temporary, {} freed by another "
      "thread\n",
      bytes_text(total.peak_bytes), total.live_blocks, bytes_text(total.live_bytes),
      total.temporary, total.remote_frees);
  if (result.dropped > 0) fmt::print("{} events were lost\n", result.dropped);
  if (!result.not_recorded.empty()) {
    std::string what;
    for (const auto& word : result.not_recorded) what += (what.empty() ? "" : ", ") + word;
    fmt::print("not recorded: {}\n", what);
  }
  print_table(result, colour);
  print_scopes(result, all, colour);
}

std::string csv_value(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void print_csv(const profile::dims_result& result) {
  fmt::print("subsystem,allocations,frees,reallocations,bytes,peak_bytes,live_blocks");
  for (const auto letter : letters) fmt::print(",{0}_literal,{0}_scaled", letter);
  fmt::print("\n");
  const auto row = [](const profile::subsystem& one, std::string name) {
    for (std::size_t at = 0; (at = name.find('"', at)) != name.npos; at += 2) name.insert(at, "\"");
    const auto& total = one.total;
    fmt::print("\"{}\",{},{},{},{},{},{}", name, total.allocations, total.frees,
               total.reallocations, total.bytes, total.peak_bytes, total.live_blocks);
    for (const profile::dimension* value : in_order(one.dims)) {
      fmt::print(",{},{}", csv_value(value->literal), csv_value(value->scaled));
    }
    fmt::print("\n");
  };
  row(result.all, "(all)");
  for (const auto& one : result.subsystems) row(one, one.name);
}

profile::dims_result result_of(const dims_options& options) {
  profile::analysis_options wanted;
  wanted.subsystems = parse_subsystems(options.grouping);
  wanted.windows = options.windows;
  if (profile::is_dhat(options.trace)) {
    try {
      return profile::dims_of_dhat(profile::read_dhat(options.trace), wanted.subsystems);
    } catch (const std::invalid_argument& problem) {
      throw usage_error(fmt::format("{}: {}", options.trace, problem.what()));
    }
  }
  profile::trace_reader trace(options.trace);
  profile::find_missing_symbols(trace);
  const profile::function_table functions(trace);
  return profile::analyse(trace, functions, wanted);
}

int dims(dims_options options, colour_choice choice) {
  options.trace = trace_or_newest(options.trace);
  profile::dims_result result = result_of(options);
  result.trace = options.trace;
  if (options.json) {
    fmt::print("{}\n", profile::to_json(result).dump(2, ' ', false,
                                                     nlohmann::json::error_handler_t::replace));
  } else if (options.csv) {
    print_csv(result);
  } else {
    print_text(result, options.all, use_colour(choice, STDOUT_FILENO));
  }
  warn(result.problems);
  return success;
}

}  // namespace

void add_dims_command(command_parser app, const context& shared) {
  const command_parser command = app.add_command(
      "dims", "The six dimensions of a recorded program's subsystems, and where an arena would go");
  const auto options = std::make_shared<dims_options>();
  command.add_option("TRACE", options->trace,
                     "What `mallard record` wrote (default: the newest here), or DHAT's JSON");
  add_grouping_options(
      command, options->grouping,
      "Subsystems: found (default), module, namespace, function, scope, resource, thread");
  command.add_option("--windows", options->windows, "Into how many windows of time (default 100)")
      .within(1, 10000);
  const parser_option json =
      command.add_flag("--json", options->json, "Everything as JSON (" + document("dims.md") + ")");
  command.add_flag("--csv", options->csv, "The dimensions as CSV").excludes(json);
  command.add_flag("--all", options->all, "All arena scopes, not only the largest");
  command.runs([&shared, options] { return dims(*options, shared.colour); });
}

}  // namespace mallard::cli
