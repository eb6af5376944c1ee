// mallard top
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/newest_trace.hpp"
#include "cli/place_options.hpp"
#include "cli/profile_text.hpp"
#include "profile/result_json.hpp"
#include "profile/sites.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::cli {
namespace {

struct top_options {
  std::string trace;
  place_options places{.sort = "bytes"};
};

int top(top_options options, colour_choice choice) {
  options.trace = trace_or_newest(options.trace);
  const auto order = options.places.order().value;
  const bool by_line = options.places.by_line();
  profile::trace_reader trace(options.trace);
  profile::find_missing_symbols(trace);
  const profile::function_table functions(trace);
  std::vector<profile::site> sites = profile::list_sites(trace, functions, by_line);
  std::sort(sites.begin(), sites.end(), [&](const auto& a, const auto& b) {
    return std::tie(b.*order, b.bytes, a.function, a.line) <
           std::tie(a.*order, a.bytes, b.function, b.line);
  });
  if (sites.size() > options.places.rows) sites.resize(options.places.rows);
  if (options.places.json) {
    fmt::print("{}\n", profile::to_json(sites).dump(2, ' ', false,
                                                    nlohmann::json::error_handler_t::replace));
  } else {
    const bool colour = use_colour(choice, STDOUT_FILENO);
    fmt::print("{}\n",
               styled(fmt::format("{:>9} {:>11} {:>9} {:>9} {:>10}  {}", "bytes", "operations",
                                  "at peak", "leaked", "temporary", options.places.by),
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
  command.add_option("TRACE", options->trace,
                     "What `mallard record` wrote (default: the newest here)");
  add_place_options(command, options->places);
  command.runs([&shared, options] { return top(*options, shared.colour); });
}

}  // namespace mallard::cli
