// mallard bench larson
#include "cli/lists.hpp"
#include "cli/malloc_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct larson_options {
  malloc_options common;
  std::uint32_t low = 8;
  std::uint32_t high = 1000;
  std::uint64_t chunks = 5000;
  std::uint64_t rounds = 100;
  double seconds = 5;
};

constexpr malloc_defaults quick = {"1,2,4", 3, 0.04};

lab::malloc_plan make_plan(const larson_options& options, malloc_request& request) {
  if (options.high < options.low) throw usage_error("--max is less than --min");
  lab::malloc_job what;
  what.bench = lab::malloc_bench::larson;
  what.slots = options.chunks;
  what.seconds = options.seconds * request.scale;
  request.parameters["seconds"] = what.seconds;
  return lab::plan_larson(request.threads, what, {options.low, options.high}, options.rounds,
                          request.under);
}

}  // namespace

void add_larson_command(CLI::App& bench, context& shared) {
  CLI::App* command = bench.add_subcommand(
      "larson", "Mallocs: a server whose threads leave their blocks to their successors");
  const auto options = std::make_shared<larson_options>();
  const auto bytes = CLI::Range(1U, lab::size_mix::largest).description("");
  const auto count = CLI::Range(1U, 100'000'000U).description("");
  add_threads_option(*command, options->common);
  command->add_option("--min", options->low, "Smallest size (default: 8)")->check(bytes);
  command->add_option("--max", options->high, "Largest size (default: 1000)")->check(bytes);
  command->add_option("--chunks", options->chunks, "Live blocks of each thread (default: 5000)")
      ->check(count);
  command
      ->add_option("--rounds", options->rounds,
                   "How often a thread replaces each on average before it ends (default: 100)")
      ->check(count);
  command->add_option("--seconds", options->seconds, "How long (default: 5)")
      ->check(CLI::Range(0.01, 3600.0).description(""));
  add_malloc_options(*command, options->common, "seconds");
  run_malloc_when_chosen(*command, shared, options, quick, make_plan);
}

}  // namespace mallard::cli
