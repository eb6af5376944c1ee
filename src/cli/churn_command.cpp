// mallard bench churn
#include "cli/lists.hpp"
#include "cli/malloc_run.hpp"

namespace mallard::cli {
namespace {

struct churn_options {
  malloc_options common;
  mix_options sizes;
  std::uint64_t objects = 100'000;
  std::uint64_t spots = 16;
  std::string sharing = "shared";
  std::string touch = "first";
};

constexpr malloc_defaults quick = {"1,2,4", 3, 1};

lab::malloc_plan make_plan(const churn_options& options, malloc_request& request) {
  lab::malloc_job what;
  what.bench = lab::malloc_bench::churn;
  what.operations = scaled(options.objects, request.scale);
  what.slots = options.spots;
  what.sizes = make_mix(options.sizes, request.parameters);
  what.shared_spots = parse_choice("--sharing", options.sharing, {"shared", "private"}) == 0;
  what.touch = static_cast<lab::first_touch>(
      parse_choice("--touch", options.touch, {"none", "first", "all"}));
  request.parameters["touch"] = options.touch;
  return lab::plan_churn(request.threads, what, request.under);
}

}  // namespace

void add_churn_command(CLI::App& bench, context& shared) {
  CLI::App* command =
      bench.add_subcommand("churn", "Mallocs: threads replace random blocks among a few");
  const auto options = std::make_shared<churn_options>();
  add_threads_option(*command, options->common);
  command->add_option("--objects", options->objects, "Blocks of each thread (default: 100000)")
      ->check(CLI::Range(1U, 4'000'000'000U).description(""));
  command->add_option("--spots", options->spots, "Blocks alive at a time (default: 16)")
      ->check(CLI::Range(1U, 100'000'000U).description(""));
  command->add_option("--sharing", options->sharing,
                      "The spots: shared by all threads, or private (default: shared)");
  command->add_option("--touch", options->touch,
                      "What is written of a new block: none, first (byte), all (default: first)");
  add_mix_options(*command, options->sizes);
  add_malloc_options(*command, options->common, "blocks");
  run_malloc_when_chosen(*command, shared, options, quick, make_plan);
}

}  // namespace mallard::cli
