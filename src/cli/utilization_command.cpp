// mallard bench utilization
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/lists.hpp"
#include "cli/series_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct utilization_options {
  std::optional<std::string> totals;
  std::optional<std::string> actives;
  std::optional<std::string> blocks;
  series_options common;
};

constexpr series_defaults usual = {"AS1-AS3,AS5,AS7,AS9,AS11,AS13", 5};
constexpr series_defaults quick = {usual.strategies, 3};

// The rows of the paper's tables: more memory in use with small blocks, then larger blocks.
constexpr std::pair<int, int> paper_rows[] = {{15, 10}, {16, 10}, {17, 10}, {18, 10},
                                              {19, 10}, {20, 10}, {20, 11}, {20, 12},
                                              {20, 13}, {20, 14}, {20, 15}};
constexpr std::pair<int, int> quick_rows[] = {{15, 10}, {20, 10}, {20, 12}, {20, 15}};

// Either the paper's rows, or everything that was asked for with everything.
std::vector<std::pair<int, int>> parse_rows(const utilization_options& options) {
  std::vector<std::pair<int, int>> rows;
  if (!options.actives && !options.blocks) {
    if (options.common.quick) {
      rows.assign(std::begin(quick_rows), std::end(quick_rows));
    } else {
      rows.assign(std::begin(paper_rows), std::end(paper_rows));
    }
    return rows;
  }
  for (const int active : parse_integers<int>("--active", options.actives.value_or("20"), 4, 40)) {
    for (const int block : parse_integers<int>("--block", options.blocks.value_or("10"), 4, 30)) {
      rows.emplace_back(active, block);
    }
  }
  return rows;
}

series_request make_request(const utilization_options& options) {
  const series_defaults& preset = options.common.quick ? quick : usual;
  const std::string totals = options.totals.value_or(options.common.quick ? "26" : "28");
  const auto rows = parse_rows(options);
  std::vector<lab::utilization_size> sizes;
  for (const int total : parse_integers<int>("--total", totals, 10, 45)) {
    for (const auto& [active, block] : rows) {
      if (block > active || active > total) {
        throw usage_error(fmt::format(
            "a block (2^{}) must fit into what is active (2^{}), and that into the total (2^{})",
            block, active, total));
      }
      sizes.push_back({total, active, block});
    }
  }
  series_request request;
  request.bench = "utilization";
  request.plan = lab::plan_utilization(sizes, make_conditions(options.common, preset));
  request.parameters["total"] = totals;
  if (options.actives) request.parameters["active"] = *options.actives;
  if (options.blocks) request.parameters["block"] = *options.blocks;
  return request;
}

}  // namespace

void add_utilization_command(CLI::App& bench, context& shared) {
  CLI::App* command = bench.add_subcommand(
      "utilization", "Benchmark III: a small part of the memory asked for is in use at one time");
  const auto options = std::make_shared<utilization_options>();
  command->add_option("--total", options->totals,
                      "log2 of the bytes allocated over all, like 28,30-33 (default: 28)");
  command->add_option("--active", options->actives,
                      "log2 of the bytes in use at one time (default: the paper's rows)");
  command->add_option("--block", options->blocks,
                      "log2 of the bytes of a block (default: the paper's rows)");
  add_series_options(*command, options->common, usual);
  run_when_chosen(*command, shared, options, make_request);
}

}  // namespace mallard::cli
