// mallard bench remote-free
#include <fmt/format.h>

#include "cli/lists.hpp"
#include "cli/malloc_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct remote_free_options {
  malloc_options common;
  std::string blocks = "64";
  std::uint64_t batch = 100;
  std::uint64_t objects = 2'000'000;
  std::string form = "ping-pong";
};

constexpr malloc_defaults quick = {"1,2", 3, 0.1};

lab::malloc_plan make_plan(const remote_free_options& options, malloc_request& request) {
  lab::malloc_job what;
  what.bench = lab::malloc_bench::remote_free;
  what.operations = scaled(options.objects, request.scale);
  what.batch = options.batch;
  if (what.operations < what.batch) {
    throw usage_error(
        fmt::format("--batch: {} is more than the {} blocks", what.batch, what.operations));
  }
  what.ping_pong = parse_choice("--form", options.form, {"one-way", "ping-pong"}) == 1;
  request.parameters["objects"] = static_cast<std::int64_t>(what.operations);
  const auto blocks =
      parse_integers<std::uint32_t>("--block", options.blocks, 1, lab::size_mix::largest);
  return lab::plan_remote_free(request.threads, what, blocks, request.under);
}

}  // namespace

void add_remote_free_command(CLI::App& bench, context& shared) {
  CLI::App* command = bench.add_subcommand(
      "remote-free", "Mallocs: pairs of threads, where one frees what the other allocated");
  const auto options = std::make_shared<remote_free_options>();
  add_threads_option(*command, options->common);
  command->add_option("--block", options->blocks, "Bytes of a block (default: 64)");
  command->add_option("--batch", options->batch, "Blocks handed over at once (default: 100)")
      ->check(CLI::Range(1U, 10'000'000U).description(""));
  command
      ->add_option("--objects", options->objects,
                   "Blocks that a thread allocates (default: 2000000)")
      ->check(CLI::Range(1U, 4'000'000'000U).description(""));
  command->add_option(
      "--form", options->form,
      "one-way: one of the pair allocates, the other frees; ping-pong: both do both "
      "(default: ping-pong)");
  add_malloc_options(*command, options->common, "blocks");
  run_malloc_when_chosen(*command, shared, options, quick, make_plan);
}

}  // namespace mallard::cli
