// mallard bench speed
#include "cli/lists.hpp"
#include "cli/malloc_run.hpp"

namespace mallard::cli {
namespace {

struct speed_options {
  malloc_options common;
  mix_options sizes;
  std::uint64_t objects = 100'000;
  std::string chains = "all";
  std::string realloc_sizes = "new";
  std::uint64_t warm_up = 1;
};

constexpr malloc_defaults quick = {"1,2,4", 3, 0.2};

std::uint32_t parse_chains(const std::string& text) {
  std::vector<std::string> known;
  for (const auto& chain : lab::speed_chains) known.emplace_back(chain.name);
  std::uint32_t bits = 0;
  for (const std::string& name : parse_names("--chains", text, known)) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i] == name) bits |= std::uint32_t{1} << i;
    }
  }
  return bits;
}

lab::malloc_plan make_plan(const speed_options& options, malloc_request& request) {
  lab::malloc_job what;
  what.bench = lab::malloc_bench::speed;
  what.operations = scaled(options.objects, request.scale);
  what.chains = parse_chains(options.chains);
  what.sizes = make_mix(options.sizes, request.parameters);
  what.same_size = parse_choice("--realloc-sizes", options.realloc_sizes, {"new", "same"}) == 1;
  what.warm_ups = options.warm_up;
  request.parameters["chains"] = options.chains;
  request.parameters["realloc-sizes"] = options.realloc_sizes;
  request.parameters["warm-up"] = static_cast<std::int64_t>(options.warm_up);
  return lab::plan_speed(request.threads, what, request.under);
}

}  // namespace

void add_speed_command(CLI::App& bench, context& shared) {
  CLI::App* command = bench.add_subcommand(
      "speed", "Mallocs: chains of malloc, calloc, realloc and free, each for all blocks in turn");
  const auto options = std::make_shared<speed_options>();
  add_threads_option(*command, options->common);
  command->add_option("--objects", options->objects, "Blocks of each thread (default: 100000)")
      ->check(CLI::Range(1U, 100'000'000U).description(""));
  command->add_option("--chains", options->chains,
                      "Like malloc-free,calloc-realloc-free (default: all 12)");
  command->add_option("--realloc-sizes", options->realloc_sizes,
                      "What realloc asks for: new (drawn) sizes, or the same (default: new)");
  command
      ->add_option("--warm-up", options->warm_up,
                   "How often all blocks are allocated and freed before the first chain, which "
                   "else would bear the cold start (default: 1)")
      ->check(CLI::Range(0U, 1000U).description(""));
  add_mix_options(*command, options->sizes);
  add_malloc_options(*command, options->common, "blocks");
  run_malloc_when_chosen(*command, shared, options, quick, make_plan);
}

}  // namespace mallard::cli
