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

int compare(const compare_options& options) {
  if (options.base.empty() != options.against.empty()) {
    throw usage_error("--base and --against go together");
  }
  std::optional<selector> base;
  std::optional<selector> against;
  if (!options.base.empty()) {
    base = parse_selector("--base", options.base);
    against = parse_selector("--against", options.against);
  } else if (options.second.empty()) {
    throw usage_error("compare needs two results, or --base and --against");
  }
  const lab::result_file first = read_results(options.first);
  const lab::result_file second = options.second.empty() ? first : read_results(options.second);
  for (const lab::result_file* file : {&first, &second}) {
    if (file->run.bench == "density") continue;
    throw usage_error(fmt::format("{} is of the bench {}: compare is for density only",
                                  file->path.string(), file->run.bench));
  }
  warn_of_differences(first.run, second.run);

  const auto pairs = compare_cells(first.cells, second.cells, base, against);
  if (pairs.empty()) throw std::runtime_error("there are no cells to compare");
  const std::string before = base ? options.base : options.first;
  const std::string after = base ? options.against : options.second;
  fmt::print(
      "How many times as fast {} is as {} (below 1: slower; ~: the 95 % confidence intervals "
      "overlap)\n\n",
      after, before);
  const places all = by_place(pairs);
  print_summary(all);
  for (const auto& [where, cells] : all) print_cells(where, cells);
  return success;
}

}  // namespace

void add_compare_command(CLI::App& app, context& shared) {
  CLI::App* command = app.add_subcommand("compare", "Compare two results, or two strategies");
  const auto options = std::make_shared<compare_options>();
  command->add_option("A", options->first, "Result file")->required();
  command->add_option("B", options->second, "Another one (default: the same)");
  command->add_option("--base", options->base, "Strategy of A, like AS1@global");
  command->add_option("--against", options->against, "Strategy of B, like AS7@mallard");
  command->callback(
      [&shared, options] { shared.chosen = [options] { return compare(*options); }; });
}

}  // namespace mallard::cli
