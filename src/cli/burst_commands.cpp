// mallard bench burst, adaptive-pool
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/extended_options.hpp"
#include "cli/lists.hpp"
#include "cli/series_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct burst_options {
  std::optional<std::string> elements;
  std::optional<std::string> ranges;
  std::string containers = "all";
  extended_options common;
};

constexpr const char* usual_elements = "2000000";
constexpr const char* quick_elements = "100000";
constexpr const char* burst_ranges = "10,100,1000,10000";
constexpr const char* pool_ranges = "1,10,100,1000,10000";
constexpr std::uint64_t most_nodes = 1'000'000'000;

// The ranges have to make up the elements, so that all strategies do the same for any range.
void parse_ranges(const burst_options& options, const char* ranges, std::uint64_t lowest,
                  lab::burst_sizes& sizes, lab::run_parameters& parameters) {
  const std::string elements =
      options.elements.value_or(options.common.quick ? quick_elements : usual_elements);
  sizes.elements = parse_count("--elements", elements, 1, most_nodes);
  const std::string list = options.ranges.value_or(ranges);
  for (const std::string& item : split_list(list)) {
    const std::uint64_t range = parse_count("--ranges", item, lowest, most_nodes);
    if (sizes.elements % range != 0) {
      throw usage_error(
          fmt::format("--ranges: {} elements are not so many ranges of {}", sizes.elements, range));
    }
    sizes.ranges.push_back(range);
  }
  parameters = {{"elements", elements}, {"ranges", list}};
}

std::vector<lab::node_container> parse_containers(std::string_view text) {
  using enum lab::node_container;
  return parse_choices("--container", text, {list, stable_vector},
                       [](lab::node_container one) { return lab::to_string(one); });
}

series_request burst_request(const burst_options& options) {
  series_request request;
  request.bench = "burst";
  lab::burst_sizes sizes;
  parse_ranges(options, burst_ranges, 2, sizes, request.parameters);
  request.parameters["container"] = options.containers;
  sizes.containers = parse_containers(options.containers);
  request.plan = lab::plan_burst(
      sizes, make_extended_conditions(options.common, [](const lab::series_column& column) {
        return lab::find_burst_kernel(column, lab::node_container::list) != nullptr;
      }));
  return request;
}

series_request pool_request(const burst_options& options) {
  series_request request;
  request.bench = "adaptive-pool";
  lab::burst_sizes sizes;
  parse_ranges(options, pool_ranges, 1, sizes, request.parameters);
  request.plan = lab::plan_adaptive_pool(
      sizes, make_extended_conditions(options.common, [](const lab::series_column& column) {
        return lab::find_pool_kernel(column) != nullptr;
      }));
  return request;
}

CLI::App* add_command(CLI::App& bench, const char* name, const char* what, const char* ranges,
                      burst_options& options) {
  CLI::App* command = bench.add_subcommand(name, what);
  command->add_option("--elements", options.elements,
                      fmt::format("Of the container (default: {})", usual_elements));
  command->add_option("--ranges", options.ranges,
                      fmt::format("Elements inserted and erased at once (default: {})", ranges));
  add_extended_options(*command, options.common);
  return command;
}

}  // namespace

void add_burst_commands(CLI::App& bench, context& shared) {
  const auto burst = std::make_shared<burst_options>();
  CLI::App* command = add_command(
      bench, "burst", "Containers of nodes, filled and emptied by ranges", burst_ranges, *burst);
  command->add_option("--container", burst->containers, "list, stable_vector (default: all)");
  run_when_chosen(*command, shared, burst, burst_request);

  const auto pool = std::make_shared<burst_options>();
  command = add_command(bench, "adaptive-pool",
                        "Pools of nodes: lists filled and emptied, and what the pool keeps",
                        pool_ranges, *pool);
  run_when_chosen(*command, shared, pool, pool_request);
}

}  // namespace mallard::cli
