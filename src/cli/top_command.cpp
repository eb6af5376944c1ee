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
#include "cli/text_table.hpp"
#include "profile/import/summed_profile.hpp"
#include "profile/result_json.hpp"
#include "profile/sites.hpp"
#include "profile/trace/lacks.hpp"

namespace mallard::cli {
namespace {

struct top_options {
  std::string trace;
  place_options places;
};

int top(top_options options, colour_choice choice) {
  options.trace = trace_or_newest(options.trace);
  const auto order = options.places.sort->value;
  const bool by_line = options.places.by_line();
  std::vector<profile::site> sites;
  std::vector<std::string> not_recorded;
  std::unique_ptr<profile::trace_reader> trace;
  if (profile::is_summed_profile(options.trace)) {
    profile::summed_profile sums = profile::read_summed_profile(options.trace);
    sites = profile::sites_of(sums.stacks, by_line);
    not_recorded = std::move(sums.not_recorded);
  } else {
    trace = open_trace(options.trace);
    not_recorded = trace->facts().process.not_recorded;
    const profile::function_table functions(*trace);
    sites = profile::list_sites(*trace, functions, by_line);
  }
  if (profile::lacks(not_recorded, options.places.sort->needs)) {
    warn({fmt::format("{}: has no figures to sort by '{}'", options.trace,
                      options.places.sort->word)});
  } else {
    std::erase_if(sites, [&](const auto& one) { return one.*order == 0; });
  }
  std::sort(sites.begin(), sites.end(), [&](const auto& a, const auto& b) {
    return std::tie(b.*order, b.bytes, a.function, a.line) <
           std::tie(a.*order, a.bytes, b.function, b.line);
  });
  if (sites.size() > options.places.rows) sites.resize(options.places.rows);
  if (options.places.json) {
    const nlohmann::ordered_json out = {{"version", 1},
                                        {"trace", options.trace},
                                        {"by", options.places.by},
                                        {"sort", options.places.sort->word},
                                        {"places", profile::to_json(sites)}};
    fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    std::vector<text_table::column> columns;
    for (const site_measure& by : site_measures) columns.push_back({std::string(by.heading)});
    columns.push_back({options.places.by, text_table::left});
    text_table table(std::move(columns));
    for (const auto& one : sites) {
      std::vector<std::string> row;
      for (const site_measure& by : site_measures) {
        row.push_back(profile::lacks(not_recorded, by.needs) ? "-" : by.text(one.*by.value));
      }
      row.push_back(place_text(one.function, one.file, one.line));
      table.add(std::move(row));
    }
    fmt::print("{}", table.text(use_colour(choice, STDOUT_FILENO)));
  }
  if (trace) warn_if_not_whole(*trace, options.trace);
  return success;
}

}  // namespace

void add_top_command(command_parser app, const context& shared) {
  const command_parser command =
      app.add_command("top", "List the functions or lines that allocate most");
  const auto options = std::make_shared<top_options>();
  command.add_option("TRACE", options->trace, trace_help);
  add_place_options(command, options->places);
  command.runs([&shared, options] { return top(*options, shared.colour); });
}

}  // namespace mallard::cli
