// mallard diff
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/place_options.hpp"
#include "cli/profile_text.hpp"
#include "cli/trace_export.hpp"
#include "profile/result_json.hpp"
#include "profile/trace/symbolizer.hpp"
#include "profile/views/difference.hpp"

namespace mallard::cli {
namespace {

using json = nlohmann::ordered_json;
using profile::program_sums;
using profile::site;
using profile::site_change;

struct diff_options {
  std::string before, after;
  place_options places{.sort = "peak"};
  std::string collapsed;  // a file
  std::string weight = "alloc_space";
};

std::int64_t growth(const site_change& one, const site_measure& by) {
  return static_cast<std::int64_t>(one.after.*by.value) -
         static_cast<std::int64_t>(one.before.*by.value);
}

std::uint64_t size_of(std::int64_t change) {
  return static_cast<std::uint64_t>(change < 0 ? -change : change);
}

// "+1.2 MiB", "-3", "0".
std::string signed_text(std::int64_t change, bool is_bytes) {
  const std::string sign = change > 0 ? "+" : change < 0 ? "-" : "";
  return sign + (is_bytes ? bytes_text(size_of(change)) : fmt::format("{}", size_of(change)));
}

json side(const std::string& file, const program_sums& one) {
  return {{"trace", file},
          {"command", one.command},
          {"duration_ns", one.duration},
          {"total", profile::to_json(one.total)}};
}

void print_json(const diff_options& options, const program_sums& before, const program_sums& after,
                const std::vector<site_change>& sites) {
  json out = {{"version", 1},
              {"by", options.places.by},
              {"before", side(options.before, before)},
              {"after", side(options.after, after)},
              {"places", json::array()}};
  for (const site_change& one : sites) {
    json grown = json::object();
    for (const site_measure& by : site_measures) grown[std::string(by.word)] = growth(one, by);
    json from = profile::to_json(one.before), to = profile::to_json(one.after);
    for (const char* name : {"function", "file", "line"}) {
      from.erase(name);
      to.erase(name);
    }
    const site& any = one.any();
    out["places"].push_back({{"function", any.function},
                             {"file", any.file},
                             {"line", any.line},
                             {"before", from},
                             {"after", to},
                             {"growth", grown}});
  }
  fmt::print("{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
}

void print_total(std::string_view what, std::uint64_t before, std::uint64_t after, bool is_bytes) {
  const auto change = static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  const auto text = [&](std::uint64_t value) {
    return is_bytes ? bytes_text(value) : fmt::format("{}", value);
  };
  const std::string share = before == 0 || change == 0
                                ? ""
                                : fmt::format(" ({:+.1f} %)", 100 * static_cast<double>(change) /
                                                                  static_cast<double>(before));
  fmt::print("  {:<18} {:>11} -> {:>11}  {:>11}{}\n", what, text(before), text(after),
             signed_text(change, is_bytes), share);
}

void print_text(const diff_options& options, const program_sums& before, const program_sums& after,
                std::vector<site_change> sites, const site_measure& order, bool colour) {
  print_total("at most live", before.total.peak_bytes, after.total.peak_bytes, true);
  print_total("allocations", before.total.allocations, after.total.allocations, false);
  print_total("reallocations", before.total.reallocations, after.total.reallocations, false);
  print_total("bytes", before.total.bytes, after.total.bytes, true);
  print_total("not freed", before.total.live_bytes, after.total.live_bytes, true);
  print_total("temporary", before.total.temporary, after.total.temporary, false);
  std::erase_if(sites, [](const site_change& one) {
    return std::all_of(std::begin(site_measures), std::end(site_measures),
                       [&](const site_measure& by) { return growth(one, by) == 0; });
  });
  if (sites.empty()) {
    fmt::print("no {} allocates more or less\n", options.places.by);
    return;
  }
  const std::size_t all = sites.size();
  if (all > options.places.rows) sites.resize(options.places.rows);
  std::string heading;
  for (const site_measure& by : site_measures) {
    heading += fmt::format("{:>11} ", std::string(by.heading) + (&by == &order ? "*" : ""));
  }
  fmt::print("\n{}\n", styled(heading + " " + options.places.by, style::bold, colour));
  for (const site_change& one : sites) {
    for (const site_measure& by : site_measures) {
      const std::int64_t change = growth(one, by);
      const std::string text = fmt::format("{:>11} ", signed_text(change, by.is_bytes));
      fmt::print("{}", change == 0 ? styled(text, style::faint, colour)
                                   : styled(text, change > 0 ? style::bad : style::good, colour));
    }
    fmt::print(" {}\n", place_text(one.any().function, one.any().file, one.any().line));
  }
  if (all > sites.size()) fmt::print("and {} more (-n)\n", all - sites.size());
}

int diff(const diff_options& options, colour_choice choice) {
  const site_measure& order = options.places.order();
  const profile::weight_kind& weight = parse_weight(options.weight);
  const bool by_line = options.places.by_line();
  for (const std::string& input : {options.before, options.after}) {
    expect_other_file(input, options.collapsed);
  }
  profile::trace_reader old_trace(options.before), new_trace(options.after);
  profile::find_missing_symbols(old_trace);
  profile::find_missing_symbols(new_trace);
  const program_sums before = profile::sum_up(old_trace, by_line);
  const program_sums after = profile::sum_up(new_trace, by_line);
  std::vector<site_change> sites = profile::changes(before, after);
  std::sort(sites.begin(), sites.end(), [&](const site_change& a, const site_change& b) {
    const auto key = [&](const site_change& one, const site_change& other) {
      return std::tuple(size_of(growth(one, order)), size_of(growth(one, bytes_measure)),
                        std::tie(other.any().function, other.any().file, other.any().line));
    };
    return key(b, a) < key(a, b);
  });
  if (!options.collapsed.empty()) {
    write_text(options.collapsed,
               profile::to_collapsed_difference(before.stacks, after.stacks, weight));
  }
  if (options.places.json) {
    print_json(options, before, after, sites);
  } else {
    print_text(options, before, after, std::move(sites), order, use_colour(choice, STDOUT_FILENO));
  }
  const std::string no_stacks = ": has no stacks: what grew is not known by function";
  if (!before.has_stacks) warn({options.before + no_stacks});
  if (!after.has_stacks) warn({options.after + no_stacks});
  warn(old_trace.problems());
  warn(new_trace.problems());
  return success;
}

}  // namespace

void add_diff_command(command_parser app, const context& shared) {
  const command_parser command =
      app.add_command("diff", "What grew from one trace to another, by function");
  const auto options = std::make_shared<diff_options>();
  command.add_option("BEFORE", options->before, "What `mallard record` wrote").required();
  command.add_option("AFTER", options->after, "And wrote later").required();
  add_place_options(command, options->places);
  command.add_option("--collapsed", options->collapsed,
                     "A file for stacks with both values, which flamegraph.pl draws");
  add_weight_option(command, options->weight, "--collapsed");
  command.runs([&shared, options] { return diff(*options, shared.colour); });
}

}  // namespace mallard::cli
