// mallard bench contention
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/lists.hpp"
#include "cli/series_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct contention_options {
  std::optional<std::string> iterations;
  std::optional<std::string> blocks;
  std::optional<std::string> threads;
  std::string forms = "all";
  series_options common;
};

constexpr series_defaults usual = {"AS1-AS3,AS5,AS7,AS9,AS11,AS13,sync,mutex", 5};
constexpr series_defaults quick = {usual.strategies, 3};

std::vector<lab::sharing> parse_forms(std::string_view text) {
  return parse_choices("--form", text,
                       {lab::sharing::own, lab::sharing::shared, lab::sharing::handoff},
                       [](lab::sharing one) { return lab::to_string(one); });
}

series_request make_request(const contention_options& options) {
  const bool small = options.common.quick;
  const std::string iterations = options.iterations.value_or("18");
  const std::string blocks = options.blocks.value_or("8");
  const std::string threads = options.threads.value_or(small ? "1,2,4" : "1,2,4,8");
  lab::contention_sizes sizes;
  sizes.iterations = parse_integers<int>("--iterations", iterations, 8, 40);
  sizes.blocks = parse_integers<int>("--block", blocks, 3, 30);
  sizes.threads = parse_integers<unsigned>("--threads", threads, 1, 256);
  sizes.forms = parse_forms(options.forms);

  series_request request;
  request.bench = "contention";
  request.plan =
      lab::plan_contention(sizes, make_conditions(options.common, small ? quick : usual));
  request.parameters = {
      {"iterations", iterations}, {"block", blocks}, {"threads", threads}, {"form", options.forms}};
  return request;
}

}  // namespace

void add_contention_command(CLI::App& bench, context& shared) {
  CLI::App* command = bench.add_subcommand(
      "contention", "Benchmark IV: threads that do nothing but allocate and free");
  const auto options = std::make_shared<contention_options>();
  command->add_option("--iterations", options->iterations,
                      "log2 of a thread's allocations, like 15-19 (default: 18)");
  command->add_option("--block", options->blocks, "log2 of the bytes of a block (default: 8)");
  command->add_option("--threads", options->threads, "How many, like 1-8 (default: 1,2,4,8)");
  command->add_option("--form", options->forms,
                      "own: an allocator for each thread, shared: one for all, handoff: one for "
                      "all, and another thread frees (default: all)");
  add_series_options(*command, options->common, usual);
  run_when_chosen(*command, shared, options, make_request);
}

}  // namespace mallard::cli
