// mallard top
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/profile_text.hpp"
#include "cli/usage_error.hpp"
#include "profile/result_json.hpp"
#include "profile/sites.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::cli {
namespace {

struct top_options {
  std::string trace;
  std::string by = "function";
  std::string sort = "bytes";
  std::size_t rows = 20;
  bool json = false;
};

using member = std::uint64_t profile::site::*;

member parse_order(const std::string& word) {
  if (word == "bytes") return &profile::site::bytes;
  if (word == "operations") return &profile::site::operations;
  if (word == "peak") return &profile::site::peak_bytes;
  if (word == "leaked") return &profile::site::leaked_bytes;
  if (word == "temporary") return &profile::site::temporary;
  throw usage_error(fmt::format(
      "--sort: unknown value '{}' (known: bytes, operations, peak, leaked, temporary)", word));
}

int top(const top_options& options, colour_choice choice) {
  const member order = parse_order(options.sort);
  if (options.by != "function" && options.by != "line") {
    throw usage_error(fmt::format("--by: unknown value '{}' (known: function, line)", options.by));
  }
  profile::trace_reader trace(options.trace);
  profile::find_missing_symbols(trace);
  const profile::function_table functions(trace);
  std::vector<profile::site> sites = profile::list_sites(trace, functions, options.by == "line");
  std::sort(sites.begin(), sites.end(), [&](const auto& a, const auto& b) {
    return std::tie(b.*order, b.bytes, a.function, a.line) <
           std::tie(a.*order, a.bytes, b.function, b.line);
  });
  if (sites.size() > options.rows) sites.resize(options.rows);
  if (options.json) {
    fmt::print("{}\n", profile::to_json(sites).dump(2, ' ', false,
                                                    nlohmann::json::error_handler_t::replace));
  } else {
    const bool colour = use_colour(choice, STDOUT_FILENO);
    fmt::print("{}\n",
               styled(fmt::format("{:>9} {:>11} {:>9} {:>9} {:>10}  {}", "bytes", "operations",
                                  "at peak", "leaked", "temporary", options.by),
                      style::bold, colour));
    for (const auto& one : sites) {
      fmt::print("{:>9} {:>11} {:>9} {:>9} {:>10}  {}\n", bytes_text(one.bytes), one.operations,
                 bytes_text(one.peak_bytes), bytes_text(one.leaked_bytes), one.temporary,
                 place_text(one.function, one.file, one.line));
    }
  }
  warn(trace.problems());
  return success;
}

}  // namespace

void add_top_command(command_parser app, const context& shared) {
  const command_parser command = app.add_command("top", "Where a recorded program allocates most");
  const auto options = std::make_shared<top_options>();
  command.add_option("TRACE", options->trace, "What `mallard record` wrote").required();
  command.add_option("--by", options->by, "function (default) or line");
  command.add_option("--sort", options->sort,
                     "bytes (default), operations, peak, leaked, temporary");
  command.add_option("-n,--rows", options->rows, "How many rows (default 20)");
  command.add_flag("--json", options->json, "As JSON");
  command.runs([&shared, options] { return top(*options, shared.colour); });
}

}  // namespace mallard::cli
