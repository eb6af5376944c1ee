// mallard bench thrash, mallard bench scratch
#include "cli/lists.hpp"
#include "cli/malloc_run.hpp"

namespace mallard::cli {
namespace {

struct cache_options {
  malloc_options common;
  lab::malloc_bench bench{};
  std::uint64_t iterations = 1000;
  std::uint64_t touches = 1'000'000;
  std::uint32_t size = 1;
  std::string work = "per-thread";
  std::uint64_t warm_up = 0;
};

constexpr malloc_defaults quick = {"1,2,4", 3, 0.01};

lab::malloc_plan make_plan(const cache_options& options, malloc_request& request) {
  lab::malloc_job what;
  what.bench = options.bench;
  what.operations = options.iterations;
  what.touches = scaled(options.touches, request.scale);
  what.sizes = lab::size_mix::fixed(options.size);
  what.warm_ups = options.warm_up;
  request.parameters["warm-up"] = static_cast<std::int64_t>(options.warm_up);
  const bool total = parse_choice("--work", options.work, {"per-thread", "total"}) == 1;
  return lab::plan_cache(request.threads, what, total, request.under);
}

void add_command(CLI::App& bench, context& shared, lab::malloc_bench which, const char* what) {
  CLI::App* command = bench.add_subcommand(std::string(lab::to_string(which)), what);
  const auto options = std::make_shared<cache_options>();
  options->bench = which;
  add_threads_option(*command, options->common);
  command
      ->add_option("--iterations", options->iterations,
                   "Blocks of each thread, one after the other (default: 1000)")
      ->check(CLI::Range(1U, 4'000'000'000U).description(""));
  command
      ->add_option("--touches", options->touches,
                   "Reads and writes of each block (default: 1000000)")
      ->check(CLI::Range(1U, 4'000'000'000U).description(""));
  command->add_option("--size", options->size, "Bytes of a block (default: 1)")
      ->check(CLI::Range(1U, lab::size_mix::largest).description(""));
  command->add_option("--work", options->work,
                      "The reads and writes are per-thread, or the total that threads share out "
                      "(default: per-thread)");
  command
      ->add_option("--warm-up", options->warm_up,
                   "Chunks of 16 bytes that each thread allocates and frees before the clock "
                   "starts (default: 0)")
      ->check(CLI::Range(0U, 100'000'000U).description(""));
  add_malloc_options(*command, options->common, "reads and writes");
  run_malloc_when_chosen(*command, shared, options, quick, make_plan);
}

}  // namespace

void add_thrash_command(CLI::App& bench, context& shared) {
  add_command(bench, shared, lab::malloc_bench::thrash,
              "Mallocs: do they put blocks of several threads on one cache line?");
}

void add_scratch_command(CLI::App& bench, context& shared) {
  add_command(bench, shared, lab::malloc_bench::scratch,
              "Mallocs: do they leave them there when the program did?");
}

}  // namespace mallard::cli
