// mallard compare
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/comparison.hpp"
#include "cli/results_input.hpp"
#include "cli/series_comparison.hpp"
#include "cli/usage_error.hpp"
#include "lab/statistics.hpp"
#include "lab/structures.hpp"

namespace mallard::cli {
namespace {

struct compare_options {
  std::string first;
  std::string second;
  std::string base;
  std::string against;
  std::string measure;
};

// One strategy (with its peer) under one heap.
using place = std::pair<std::string, std::string>;
using places = std::map<place, std::vector<const compared_cell*>>;

places by_place(const std::vector<compared_cell>& pairs) {
  places found;
  for (const compared_cell& pair : pairs) {
    found[{lab::column_name(pair.key.strategy, pair.key.peer), pair.key.heap}].push_back(&pair);
  }
  return found;
}

void print_summary(const places& all) {
  fmt::print("{:<16} {:<6} {:>8} {:>6} {:>7} {:>7} {:>7}\n", "strategy", "heap", "x faster",
             "cells", "faster", "slower", "same~");
  for (const auto& [where, cells] : all) {
    std::vector<double> ratios;
    std::size_t faster = 0;
    std::size_t slower = 0;
    for (const compared_cell* cell : cells) {
      ratios.push_back(cell->times_as_fast);
      faster += !cell->overlap && cell->times_as_fast > 1;
      slower += !cell->overlap && cell->times_as_fast < 1;
    }
    fmt::print("{:<16} {:<6} {:>8.3f} {:>6} {:>7} {:>7} {:>7}\n", where.first, where.second,
               lab::geometric_mean(ratios), cells.size(), faster, slower,
               cells.size() - faster - slower);
  }
}

// Rows are structures, columns sizes.
void print_cells(const place& where, const std::vector<const compared_cell*>& cells) {
  std::set<int> sizes;
  std::map<std::pair<std::string_view, int>, const compared_cell*> table;
  for (const compared_cell* cell : cells) {
    sizes.insert(cell->key.size);
    table[{cell->key.ds, cell->key.size}] = cell;
  }
  fmt::print("\n{}, {} heap\n{:<6}", where.first, where.second, "");
  for (const int size : sizes) fmt::print("{:>9}", fmt::format("2^{}", size));
  fmt::print("\n");
  for (const auto& ds : lab::all_structures()) {
    std::string row;
    bool any = false;
    for (const int size : sizes) {
      const auto found = table.find({ds.name, size});
      const bool there = found != table.end();
      any |= there;
      row += there ? fmt::format("{:>8.2f}{}", found->second->times_as_fast,
                                 found->second->overlap ? '~' : ' ')
                   : fmt::format("{:>8} ", "-");
    }
    if (any) fmt::print("{:<6}{}\n", ds.name, row);
  }
}

void warn_of_differences(const lab::run_info& a, const lab::run_info& b) {
  const auto check = [](std::string_view what, const auto& one, const auto& other) {
    if (one != other) {
      fmt::print(stderr, "mallard: warning: the {} differ: {}, {}\n", what, one, other);
    }
  };
  check("modes", a.mode, b.mode);
  check("mallocs", a.malloc, b.malloc);
  check("scales", a.scale, b.scale);
  check("processors", a.machine.cpu, b.machine.cpu);
  check("compilers", a.build.compiler, b.build.compiler);
  check("flags", a.build.flags, b.build.flags);
}

void print_head(const compare_options& options) {
  const bool selected = !options.base.empty();
  fmt::print(
      "How many times as fast {} is as {} (below 1: slower; ~: the 95 % confidence intervals "
      "overlap)\n\n",
      selected ? options.against : options.second, selected ? options.base : options.first);
}

void compare_density(const compare_options& options, const lab::result_file& first,
                     const lab::result_file& second) {
  if (!options.measure.empty()) throw usage_error("--measure is for the benches but density");
  std::optional<selector> base;
  std::optional<selector> against;
  if (!options.base.empty()) {
    base = parse_selector("--base", options.base);
    against = parse_selector("--against", options.against);
  }
  const auto pairs = compare_cells(first.cells, second.cells, base, against);
  if (pairs.empty()) throw std::runtime_error("there are no cells to compare");
  print_head(options);
  const places all = by_place(pairs);
  print_summary(all);
  for (const auto& [where, cells] : all) print_cells(where, cells);
}

void compare_series(const compare_options& options, const lab::result_file& first,
                    const lab::result_file& second) {
  std::optional<series_selector> base;
  std::optional<series_selector> against;
  if (!options.base.empty()) {
    base = parse_series_selector("--base", options.base, first.series);
    against = parse_series_selector("--against", options.against, second.series);
    if (base->malloc.empty() != against->malloc.empty()) {
      throw usage_error("--base and --against have to be two strategies or two mallocs");
    }
  }
  const auto pairs = compare_figures(first.series, second.series, base, against, options.measure);
  if (pairs.empty()) throw std::runtime_error("there are no cells to compare");
  print_head(options);
  fmt::print("{}", comparison_text(pairs));
}

int compare(const compare_options& options) {
  if (options.base.empty() != options.against.empty()) {
    throw usage_error("--base and --against go together");
  }
  if (options.base.empty() && options.second.empty()) {
    throw usage_error("compare needs two results, or --base and --against");
  }
  const lab::result_file first = read_results(options.first);
  const lab::result_file second = options.second.empty() ? first : read_results(options.second);
  if (first.run.bench != second.run.bench) {
    throw usage_error(fmt::format("{} is of the bench {}, {} of {}", options.first, first.run.bench,
                                  options.second, second.run.bench));
  }
  warn_of_differences(first.run, second.run);
  if (first.run.bench == "density") {
    compare_density(options, first, second);
  } else {
    compare_series(options, first, second);
  }
  return success;
}

}  // namespace

void add_compare_command(CLI::App& app, context& shared) {
  CLI::App* command = app.add_subcommand("compare", "Compare two results, strategies or mallocs");
  const auto options = std::make_shared<compare_options>();
  command->add_option("A", options->first, "Result file")->required();
  command->add_option("B", options->second, "Another one (default: the same)");
  command->add_option("--base", options->base, "Strategy or malloc of A, like AS1@global");
  command->add_option("--against", options->against, "Strategy or malloc of B, like AS7@mallard");
  command->add_option("--measure", options->measure,
                      "Of the benches but density (default: the main time)");
  command->callback(
      [&shared, options] { shared.chosen = [options] { return compare(*options); }; });
}

}  // namespace mallard::cli
