// mallard bench mixed-malloc
#include "cli/lists.hpp"
#include "cli/malloc_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct mixed_options {
  malloc_options common;
  std::uint64_t live = 4'000;
  std::uint32_t low = 16;
  std::uint32_t high = 65536;
  std::uint64_t objects = 1'000'000;
  double remote = 0.125;
};

constexpr malloc_defaults quick = {"1,2", 3, 0.05};

lab::malloc_plan make_plan(const mixed_options& options, malloc_request& request) {
  if (options.high < options.low) throw usage_error("--high is less than --low");
  lab::malloc_job what;
  what.bench = lab::malloc_bench::mixed;
  what.operations = scaled(options.objects, request.scale);
  what.slots = options.live;
  what.remote_share = options.remote;
  request.parameters["objects"] = static_cast<std::int64_t>(what.operations);
  request.parameters["remote"] = options.remote;
  return lab::plan_mixed(request.threads, what, {options.low, options.high}, request.under);
}

}  // namespace

void add_mixed_malloc_command(CLI::App& bench, context& shared) {
  CLI::App* command = bench.add_subcommand(
      "mixed-malloc", "Mallocs: blocks of all sizes replaced at random, and how long calls take");
  const auto options = std::make_shared<mixed_options>();
  const auto bytes = CLI::Range(1U, lab::size_mix::largest).description("");
  add_threads_option(*command, options->common);
  command->add_option("--live", options->live, "Live blocks of each thread (default: 4000)")
      ->check(CLI::Range(1U, 100'000'000U).description(""));
  command->add_option("--low", options->low, "Smallest size (default: 16)")->check(bytes);
  command->add_option("--high", options->high, "Largest size (default: 65536)")->check(bytes);
  command
      ->add_option("--objects", options->objects,
                   "Blocks that each thread replaces, twice over (default: 1000000)")
      ->check(CLI::Range(1U, 4'000'000'000U).description(""));
  command
      ->add_option("--remote", options->remote,
                   "Share of the blocks that another thread frees (default: 0.125)")
      ->check(CLI::Range(0.0, 1.0).description(""));
  add_malloc_options(*command, options->common, "blocks");
  run_malloc_when_chosen(*command, shared, options, quick, make_plan);
}

}  // namespace mallard::cli
