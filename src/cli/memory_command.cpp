// mallard bench memory
#include <fmt/format.h>

#include "cli/lists.hpp"
#include "cli/malloc_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct memory_options {
  malloc_options common;
  mix_options sizes;
  std::string teams = "1x1,4x4";
  std::uint64_t objects = 100'000;
  std::optional<std::uint64_t> round;
  std::string objects_of = "buffer";
};

constexpr malloc_defaults quick = {"1", 3, 0.2};

// "4x4": producers, and consumers of each.
std::vector<lab::memory_team> parse_teams(const std::string& text) {
  std::vector<lab::memory_team> teams;
  for (const std::string& item : split_list(text)) {
    const auto cross = item.find('x');
    if (cross == item.npos) {
      throw usage_error(
          fmt::format("--teams: '{}' is not PRODUCERSxCONSUMERS, like 1x1 or 4x4", item));
    }
    const auto count = [&](const std::string& part) {
      return parse_integers<unsigned>("--teams", part, 1, 64).at(0);
    };
    teams.push_back({count(item.substr(0, cross)), count(item.substr(cross + 1))});
  }
  return teams;
}

lab::malloc_plan make_plan(const memory_options& options, malloc_request& request) {
  lab::malloc_job what;
  what.bench = lab::malloc_bench::memory;
  what.sizes = make_mix(options.sizes, request.parameters);
  what.operations = scaled(options.objects, request.scale);
  what.batch = scaled(options.round.value_or(options.objects), request.scale);
  const bool of_producer =
      parse_choice("--objects-of", options.objects_of, {"buffer", "producer"}) == 1;
  request.parameters.erase("threads");
  request.parameters["teams"] = options.teams;
  request.parameters["round"] = static_cast<std::int64_t>(what.batch);
  request.parameters["objects-of"] = options.objects_of;
  lab::malloc_plan plan = lab::plan_memory(parse_teams(options.teams), what, request.under);
  for (lab::malloc_place& place : plan.places) {
    if (of_producer) place.what.operations = scaled(what.operations, 1.0 / place.what.consumers);
  }
  return plan;
}

}  // namespace

void add_memory_command(CLI::App& bench, context& shared) {
  CLI::App* command = bench.add_subcommand(
      "memory", "Mallocs: what producers and consumers make them hold, over time");
  const auto options = std::make_shared<memory_options>();
  command->add_option("--teams", options->teams,
                      "Producers, and consumers of each (default: 1x1,4x4)");
  command->add_option("--objects", options->objects, "Blocks of each buffer (default: 100000)")
      ->check(CLI::Range(1U, 100'000'000U).description(""));
  command->add_option(
      "--objects-of", options->objects_of,
      "That number is for each buffer, or for each producer, whose buffers share it "
      "(default: buffer)");
  command
      ->add_option("--round", options->round,
                   "Blocks that are in a buffer before any is freed (default: all)")
      ->check(CLI::Range(1U, 100'000'000U).description(""));
  add_mix_options(*command, options->sizes);
  add_malloc_options(*command, options->common, "blocks");
  run_malloc_when_chosen(*command, shared, options, quick, make_plan);
}

}  // namespace mallard::cli
