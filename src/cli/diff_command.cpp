// mallard diff
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/newest_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/place_options.hpp"
#include "cli/profile_text.hpp"
#include "cli/text_table.hpp"
#include "cli/trace_export.hpp"
#include "cli/usage_error.hpp"
#include "profile/result_json.hpp"
#include "profile/trace/lacks.hpp"
#include "profile/views/difference.hpp"
#include "profile/views/trace_views.hpp"
#include "report/report.hpp"

namespace mallard::cli {
namespace {

using json = nlohmann::ordered_json;
using profile::program_sums;
using profile::site;
using profile::site_change;

struct diff_options {
  std::string before, after;
  place_options places{.sort = &peak_measure};
  bool markdown = false;
  std::string collapsed;                         // a file
  std::string page;                              // likewise
  const profile::weight_kind* weight = nullptr;  // of the collapsed stacks
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
          {"not_recorded", one.not_recorded},
          {"total", profile::to_json(one.total)}};
}

json to_json(const diff_options& options, const program_sums& before, const program_sums& after,
             const std::vector<site_change>& sites) {
  json out = {{"version", 2},
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
  return out;
}

struct total_row {
  std::string_view what;
  std::uint64_t before, after;
  bool is_bytes;
  std::string_view needs = {};

  std::int64_t change() const {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  }
  std::string text(std::uint64_t value) const {
    return is_bytes ? bytes_text(value) : fmt::format("{}", value);
  }
  // "+3.1 %", or nothing.
  std::string share() const {
    if (before == 0 || change() == 0) return {};
    return fmt::format("{:+.1f} %",
                       100 * static_cast<double>(change()) / static_cast<double>(before));
  }
};

// One of the two has no such figures.
bool is_unknown(std::string_view needed, const program_sums& before, const program_sums& after) {
  return profile::lacks(before.not_recorded, needed) || profile::lacks(after.not_recorded, needed);
}

std::vector<total_row> totals(const program_sums& before, const program_sums& after) {
  const profile::heap_total &a = before.total, &b = after.total;
  std::vector<total_row> out = {
      {"at most live", a.peak_bytes, b.peak_bytes, true, peak_measure.needs},
      {"allocations", a.allocations, b.allocations, false},
      {"reallocations", a.reallocations, b.reallocations, false, temporary_measure.needs},
      {"bytes", a.bytes, b.bytes, true},
      {"not freed", a.live_bytes, b.live_bytes, true},
      {"temporary", a.temporary, b.temporary, false, temporary_measure.needs}};
  std::erase_if(out, [&](const total_row& row) {
    return is_unknown(row.needs, before, after) || is_unknown(row.what, before, after);
  });
  return out;
}

std::string place_of(const site_change& one) {
  return place_text(one.any().function, one.any().file, one.any().line);
}

void print_text(const diff_options& options, const program_sums& before, const program_sums& after,
                const std::vector<site_change>& sites, const site_measure& order, bool colour) {
  text_table sums({{"", text_table::left},
                   {"before", text_table::right},
                   {"after", text_table::right},
                   {"change", text_table::right},
                   {"", text_table::right}});
  for (const total_row& one : totals(before, after)) {
    sums.add({std::string(one.what), one.text(one.before), one.text(one.after),
              signed_text(one.change(), one.is_bytes), one.share()});
  }
  fmt::print("{}", sums.text(colour, "  "));
  if (sites.empty()) {
    fmt::print("no {} allocates more or less\n", options.places.by);
    return;
  }
  std::vector<text_table::column> columns;
  for (const site_measure& by : site_measures) {
    columns.push_back({std::string(by.heading) + (&by == &order ? "*" : "")});
  }
  columns.push_back({options.places.by, text_table::left});
  text_table table(std::move(columns));
  const std::size_t shown = std::min(sites.size(), options.places.rows);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> row;
    for (const site_measure& by : site_measures) {
      if (is_unknown(by.needs, before, after)) {
        row.emplace_back("-");
        continue;
      }
      const std::int64_t change = growth(sites[i], by);
      const style how = change == 0 ? style::faint : change > 0 ? style::bad : style::good;
      row.push_back(styled(signed_text(change, by.is_bytes), how, colour));
    }
    row.push_back(place_of(sites[i]));
    table.add(std::move(row));
  }
  if (sites.size() > shown) table.add_line(fmt::format("and {} more (-n)", sites.size() - shown));
  fmt::print("\n{}", table.text(colour));
}

// A function's name as code in a cell: `>` and `*` mean nothing there, `|` ends the cell.
std::string code_in_cell(const std::string& text) {
  std::string out = "`` ";
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out + " ``";
}

// Tables as a comment on a change has them.
void print_markdown(const diff_options& options, const program_sums& before,
                    const program_sums& after, const std::vector<site_change>& sites) {
  fmt::print("| heap | before | after | change | |\n|:--|--:|--:|--:|--:|\n");
  for (const total_row& one : totals(before, after)) {
    fmt::print("| {} | {} | {} | {} | {} |\n", one.what, one.text(one.before), one.text(one.after),
               signed_text(one.change(), one.is_bytes), one.share());
  }
  if (sites.empty()) {
    fmt::print("\nNo {} allocates more or less.\n", options.places.by);
    return;
  }
  std::string heading, rule;
  for (const site_measure& by : site_measures) {
    heading += fmt::format("| {} ", by.heading);
    rule += "|--:";
  }
  fmt::print("\n{}| {} |\n{}|:--|\n", heading, options.places.by, rule);
  const std::size_t shown = std::min(sites.size(), options.places.rows);
  for (std::size_t i = 0; i < shown; ++i) {
    for (const site_measure& by : site_measures) {
      fmt::print("| {} ", is_unknown(by.needs, before, after)
                              ? "-"
                              : signed_text(growth(sites[i], by), by.is_bytes));
    }
    fmt::print("| {} |\n", code_in_cell(place_of(sites[i])));
  }
  if (sites.size() > shown) fmt::print("\nAnd {} more.\n", sites.size() - shown);
}

// `least_share`: see make_stack_profile().
program_sums sums_of(const std::string& file, bool by_line, double least_share) {
  if (profile::is_summed_profile(file)) {
    return profile::sum_up(profile::read_summed_profile(file), by_line);
  }
  const auto trace = open_trace(file);
  program_sums sums = profile::sum_up(*trace, by_line, least_share);
  warn_if_not_whole(*trace, file);
  return sums;
}

int diff(const diff_options& options, colour_choice choice) {
  const site_measure& order = *options.places.sort;
  const bool by_line = options.places.by_line();
  need_file(options.page, "a page");
  // A page shows no more than can be drawn; a file of stacks has them all.
  const double least_share = options.collapsed.empty() ? profile::least_drawn_share : 0;
  const program_sums before = sums_of(options.before, by_line, least_share);
  const program_sums after = sums_of(options.after, by_line, least_share);
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
               profile::to_collapsed_difference(before.stacks, after.stacks, *options.weight));
  }
  if (!options.page.empty()) {
    report::write_difference_report(to_json(options, before, after, sites), before.stacks,
                                    after.stacks, options.page);
    fmt::print(stderr, "Report: {}\n", options.page);
  }
  if (options.places.json) {
    fmt::print(
        "{}\n",
        to_json(options, before, after, sites).dump(2, ' ', false, json::error_handler_t::replace));
  } else {
    std::erase_if(sites, [&](const site_change& one) {
      return std::all_of(std::begin(site_measures), std::end(site_measures),
                         [&](const site_measure& by) {
                           return growth(one, by) == 0 || is_unknown(by.needs, before, after);
                         });
    });
    if (options.markdown) {
      print_markdown(options, before, after, sites);
    } else {
      print_text(options, before, after, sites, order, use_colour(choice, STDOUT_FILENO));
    }
  }
  if (is_unknown(order.needs, before, after)) {
    warn({fmt::format("no figures to sort by '{}'", order.word)});
  }
  const std::string no_stacks = ": has no stacks, so growth by function is not known";
  if (!before.has_stacks) warn({options.before + no_stacks});
  if (!after.has_stacks) warn({options.after + no_stacks});
  return success;
}

}  // namespace

void add_diff_command(command_parser app, const context& shared) {
  const command_parser command =
      app.add_command("diff", "Show what grew from one trace to another, by function");
  const auto options = std::make_shared<diff_options>();
  command
      .add_option("BEFORE", options->before, "A trace of `mallard record`, or another tool's file")
      .required();
  command.add_option("AFTER", options->after, "A later trace").required();
  add_place_options(command, options->places);
  command.add_choice("--format", options->markdown, {{"text", false}, {"markdown", true}},
                     "Markdown has tables for a comment on a pull request");
  command.add_new_file("--collapsed", options->collapsed,
                       "Write stacks with both values here, for flamegraph.pl");
  command.add_new_file("-o,--output", options->page,
                       "Write a page with a flame graph of each trace here");
  add_weight_option(command, options->weight, "--collapsed");
  command.runs([&shared, options] { return diff(*options, shared.colour); });
}

}  // namespace mallard::cli
