// mallard bench false-sharing
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "cli/commands.hpp"
#include "cli/lists.hpp"
#include "cli/series_run.hpp"

namespace mallard::cli {
namespace {

struct false_sharing_options {
  std::string forms = "all";
  std::optional<std::string> threads;
  std::optional<std::uint64_t> increments;
  series_options common;
};

constexpr series_defaults usual = {"AS1,AS3,AS7", 5};
constexpr series_defaults quick = {"AS1,AS3,AS7", 3};

// Names on the command line have dashes where those in results have blanks.
std::vector<lab::placement> parse_forms(std::string_view text) {
  using enum lab::placement;
  return parse_choices("--form", text,
                       {shared_array, local_variable, arena_per_thread, objects_of_one_allocator,
                        objects_of_own_arenas},
                       [](lab::placement one) {
                         std::string name(lab::to_string(one));
                         std::replace(name.begin(), name.end(), ' ', '-');
                         return name;
                       });
}

// 1, 2, 4 and so on, up to the number of processors; 2 in any case.
std::string default_threads() {
  std::string text = "1,2";
  for (unsigned count = 4; count <= std::thread::hardware_concurrency(); count *= 2) {
    text += fmt::format(",{}", count);
  }
  return text;
}

series_request make_request(const false_sharing_options& options) {
  const bool small = options.common.quick;
  const std::string threads = options.threads.value_or(default_threads());
  lab::false_sharing_sizes sizes{};
  sizes.increments = static_cast<int>(options.increments.value_or(small ? 23 : 25));
  sizes.threads = parse_integers<unsigned>("--threads", threads, 1, 256);
  sizes.forms = parse_forms(options.forms);

  series_request request;
  request.bench = "false-sharing";
  request.plan =
      lab::plan_false_sharing(sizes, make_conditions(options.common, small ? quick : usual));
  request.parameters = {{"form", options.forms},
                        {"threads", threads},
                        {"increments", std::int64_t{sizes.increments}}};
  return request;
}

}  // namespace

void add_false_sharing_command(CLI::App& bench, context& shared) {
  CLI::App* command = bench.add_subcommand(
      "false-sharing", "The parallel counter of the slides, and small objects of many threads");
  const auto options = std::make_shared<false_sharing_options>();
  command->add_option("--form", options->forms,
                      "shared-array, local-variable, arena-per-thread, objects-of-one-allocator, "
                      "objects-of-own-arenas (default: all)");
  command->add_option("--threads", options->threads,
                      "How many, like 1-8 (default: 1, 2, 4 ... up to the processors)");
  command
      ->add_option("--increments", options->increments,
                   "log2 of the work, shared out to the threads (default: 25)")
      ->check(CLI::Range(std::uint64_t{18}, std::uint64_t{40}).description(""));
  add_series_options(*command, options->common, usual);
  run_when_chosen(*command, shared, options, make_request);
}

}  // namespace mallard::cli
