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

namespace mallard::cli {
namespace {

struct compare_options {
  std::string first;
  std::string second;
  std::string base;
  std::string against;
  std::string measure;
};

void warn_of_differences(const lab::run_info& a, const lab::run_info& b) {
  const auto check = [](std::string_view what, const auto& one, const auto& other) {
    if (one != other) {
      fmt::print(stderr, "mallard: warning: the {} differ: {}, {}\n", what, one, other);
    }
  };
  check("modes", a.mode, b.mode);
  check("mallocs", a.malloc, b.malloc);
  check("processors", a.machine.cpu, b.machine.cpu);
  check("compilers", a.build.compiler, b.build.compiler);
  check("flags", a.build.flags, b.build.flags);
}

void print_head(const compare_options& options) {
  const bool selected = !options.base.empty();
  fmt::print(
      "Speed-up of {} over {} (below 1: slower; ~: the 95 % confidence intervals "
      "overlap)\n\n",
      selected ? options.against : options.second, selected ? options.base : options.first);
}

void print_pairs(const compare_options& options, const lab::result_file& first,
                 const lab::result_file& second) {
  std::optional<selector> base;
  std::optional<selector> against;
  if (!options.base.empty()) {
    base = parse_selector("--base", options.base, first.cells);
    against = parse_selector("--against", options.against, second.cells);
    if (base->malloc.empty() != against->malloc.empty()) {
      throw usage_error("--base and --against must be two strategies or two mallocs");
    }
  }
  const auto pairs = compare_figures(first.cells, second.cells, base, against, options.measure);
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
  print_pairs(options, first, second);
  return success;
}

}  // namespace

void add_compare_command(command_parser app) {
  const command_parser command =
      app.add_command("compare", "Compare two results, strategies or mallocs");
  const auto options = std::make_shared<compare_options>();
  command.add_option("A", options->first, "Result file").required();
  command.add_option("B", options->second, "Another result file (default: A)");
  command.add_option("--base", options->base, "Strategy or malloc of A, like AS1@global");
  command.add_option("--against", options->against, "Strategy or malloc of B, like AS7@mallard");
  command.add_option("--measure", options->measure,
                     "Compare this measure (default: the main one of each bench)");
  command.runs([options] { return compare(*options); });
}

}  // namespace mallard::cli
