// mallard dims
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "base/units.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/grouping_options.hpp"
#include "cli/newest_trace.hpp"
#include "cli/profile_text.hpp"
#include "cli/text_table.hpp"
#include "cli/usage_error.hpp"
#include "profile/analysis.hpp"
#include "profile/import/summed_dims.hpp"
#include "profile/result_json.hpp"
#include "profile/shell_word.hpp"
#include "profile/trace/lacks.hpp"

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

std::vector<std::string> dims_row(const profile::subsystem& one, const std::string& name,
                                  std::uint64_t all_bytes, bool colour) {
  const double share =
      all_bytes == 0 ? 0 : static_cast<double>(one.total.bytes) / static_cast<double>(all_bytes);
  std::vector<std::string> row = {fitted(name, 34), bytes_text(one.total.bytes),
                                  base::share_text(share)};
  for (const profile::dimension* value : in_order(one.dims)) {
    row.push_back(value_with_bar(value->scaled, colour));
  }
  return row;
}

bool was_recorded(const profile::dims_result& result, std::string_view what) {
  return !profile::lacks(result.not_recorded, what);
}

// Why there is no D: everything else is missing only where the trace says so.
void print_what_is_missing(const profile::dims_result& result, bool colour) {
  const bool some = std::any_of(result.subsystems.begin(), result.subsystems.end(),
                                [](const auto& one) { return !one.dims.D.scaled; });
  if (result.all.dims.D.scaled && !some) return;
  if (!was_recorded(result, "times")) return;  // said already
  const char* const why =
      result.all.cpu_ns == 0
          ? "D -: no sample of processor time; the run was too short, or recorded without samples"
      : !result.all.dims.D.scaled ? "D -: no operation was timed; one of 64 is"
                                  : "D -: no sample of processor time fell into these functions";
  fmt::print("  {}\n", styled(why, style::faint, colour));
}

// As advice says it of the same recording.
void print_heap_share(const profile::dims_result& result) {
  if (!result.heap) return;
  fmt::print(
      "  D: the heap takes {:.1f} % of the program's time ({:.1f} to {:.1f}), estimated from {} "
      "and timed operations of the recorded run; mallard advise -- COMMAND measures it\n",
      100 * result.heap->share, 100 * result.heap->low, 100 * result.heap->high,
      base::counted(result.heap->looks, "sample"));
}

void print_table(const profile::dims_result& result, bool colour) {
  fmt::print("\n{}\n", styled("The six dimensions, scaled to 0 to 1 (--csv and --json also have "
                              "the literal formulas)",
                              style::bold, colour));
  std::vector<text_table::column> columns = {{"subsystem", text_table::left}, {"bytes"}, {"share"}};
  for (const auto letter : letters) columns.push_back({std::string(letter), text_table::left});
  text_table table(std::move(columns));
  table.add(dims_row(result.all, "the whole program", result.total.bytes, colour));
  constexpr std::size_t most_rows = 30;
  const std::size_t rows = std::min(result.subsystems.size(), most_rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const profile::subsystem& one = result.subsystems[i];
    table.add(dims_row(one, one.name, result.total.bytes, colour));
  }
  if (result.subsystems.size() > rows) {
    table.add_line(fmt::format("and {} more (--json has all)", result.subsystems.size() - rows));
  }
  fmt::print("{}", table.text(colour, "  "));
  print_heap_share(result);
  print_what_is_missing(result, colour);
}

void print_scopes(const profile::dims_result& result, bool all, bool colour) {
  fmt::print("\n{}\n", styled("Where an arena would go", style::bold, colour));
  if (result.arena_scopes.empty()) {
    fmt::print("  {}\n", !was_recorded(result, "the order of operations")
                             ? "not known: it takes the order of operations"
                         : !was_recorded(result, profile::stacks_of_frees)
                             ? "not known: it takes the stacks of frees"
                         : !was_recorded(result, profile::most_stacks)
                             ? "not known: it takes the stacks of all operations"
                             : "nowhere: no function's blocks are dead when it returns");
    return;
  }
  text_table table({{"function", text_table::left},
                    {"threads"},
                    {"invocations"},
                    {"dead"},
                    {"median"},
                    {"p99"},
                    {"max"},
                    {"", text_table::left}});
  const auto remark_below = [&](const std::string& text) {
    table.add_line(styled("  " + text, style::faint, colour));
  };
  std::size_t rows = 0;
  for (const auto& one : result.arena_scopes) {
    if (!all && ++rows > 20) break;
    std::string remark = one.marked ? "marked in the source" : "";
    if (one.trunk) remark = "called once, with nearly all blocks: an arena there would only grow";
    if (one.confidence == "low") remark = "a guess: frame addresses are not known";
    if (one.confidence == "medium" && remark.empty()) {
      remark =
          "calls are told apart by the moments when nothing lives; MALLARD_SCOPE in the source "
          "would make this exact";
    }
    table.add({fitted_function(one.function, 40), fmt::format("{}", one.threads.size()),
               fmt::format("{}", one.invocations), base::share_text(one.dead_share),
               bytes_text(one.median_bytes), bytes_text(one.p99_bytes), bytes_text(one.max_bytes),
               remark.empty() ? "" : styled(remark, style::faint, colour)});
    for (const auto& by : one.kept_by) {
      remark_below(fmt::format("{} keeps {} of its {} blocks", fitted_function(by.function, 40),
                               by.survivors, one.blocks));
    }
    std::size_t stacks = 0;
    for (const auto& stack : one.survivor_stacks) {
      if (++stacks > 2) break;
      std::string path;
      for (std::size_t i = 0; i < std::min<std::size_t>(4, stack.frames.size()); ++i) {
        path += (i == 0 ? "" : " < ") + fitted_function(stack.frames[i], 40);
      }
      remark_below(
          fmt::format("{} survive{}: {}", stack.blocks, stack.blocks == 1 ? "s" : "", path));
    }
  }
  if (!all && result.arena_scopes.size() > 20) {
    table.add_line(fmt::format("and {} more (--all)", result.arena_scopes.size() - 20));
  }
  fmt::print("{}", table.text(colour, "  "));
}

// Two lines, of what was recorded.
void print_totals(const profile::dims_result& result) {
  const auto& total = result.total;
  const bool has_order = was_recorded(result, "the order of operations");
  std::string time, calls = base::counted(total.allocations, "allocation"), ends;
  if (result.duration != 0) time = base::time_text(static_cast<double>(result.duration) / 1e9);
  if (result.threads != 0) {
    time += ", " + base::counted(result.threads, "thread");
  }
  if (was_recorded(result, "what was freed")) calls += ", " + base::counted(total.frees, "free");
  if (has_order && was_recorded(result, "reallocations")) {
    calls += ", " + base::counted(total.reallocations, "reallocation");
  }
  if (was_recorded(result, "the peak")) {
    ends = fmt::format("at most {} live at once; ", bytes_text(total.peak_bytes));
  }
  ends += fmt::format("{} ({}) not freed", base::counted(total.live_blocks, "block"),
                      bytes_text(total.live_bytes));
  if (has_order) ends += fmt::format("; {} temporary", total.temporary);
  if (result.threads != 0) {
    ends += fmt::format(", {} freed by another thread", total.remote_frees);
  }
  fmt::print("{}{}{}, {}\n{}\n", time, time.empty() ? "" : "; ", calls, bytes_text(total.bytes),
             ends);
}

void print_text(const profile::dims_result& result, bool all, bool colour) {
  const std::string command = profile::shell_words(result.command);
  fmt::print("{}\n", styled(fitted(command, command.size()), style::bold, colour));
  print_totals(result);
  if (result.dropped > 0) fmt::print("{} events were lost\n", result.dropped);
  if (!result.not_recorded.empty()) {
    fmt::print("not recorded: {}\n", fmt::join(result.not_recorded, ", "));
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
  if (profile::is_summed_profile(options.trace)) {
    try {
      return profile::dims_of(profile::read_summed_profile(options.trace), wanted.subsystems);
    } catch (const std::invalid_argument& problem) {
      throw usage_error(fmt::format("{}: {}", options.trace, problem.what()));
    }
  }
  const auto trace = open_trace(options.trace);
  const profile::function_table functions(*trace);
  return profile::analyse(*trace, functions, wanted);
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
      "dims",
      "Show the six dimensions of a recorded program's subsystems, and where an arena would go");
  const auto options = std::make_shared<dims_options>();
  command.add_option("TRACE", options->trace, trace_help);
  add_grouping_options(command, options->grouping, resource_blocks::with);
  command
      .add_option("--windows", options->windows,
                  "Divide the time into this many windows (default 100)")
      .within(1, 10000);
  const parser_option json = command.add_flag(
      "--json", options->json, "Print everything as JSON (" + document("dims.md") + ")");
  command.add_flag("--csv", options->csv, "Print the dimensions as CSV").excludes(json);
  command.add_flag("--all", options->all, "Print all arena scopes, not only the largest");
  command.runs([&shared, options] { return dims(*options, shared.colour); });
}

}  // namespace mallard::cli
