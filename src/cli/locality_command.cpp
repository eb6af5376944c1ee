// mallard bench locality
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/lists.hpp"
#include "cli/series_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct locality_options {
  std::optional<std::string> links;
  std::optional<std::string> subsystems;
  std::optional<std::string> accesses;
  std::optional<std::uint64_t> repeats;
  std::optional<std::string> shuffles;
  std::string variant = "code";
  series_options common;
};

struct locality_defaults {
  const char* links;
  const char* subsystems;
  const char* decimal_subsystems;  // where the links are a power of ten
  std::uint64_t touches;           // of each link, in each phase
  series_defaults common;
};
constexpr locality_defaults usual = {
    "2^21", "4,8,12,16,20", "1-6", 32, {"AS1,AS2,AS7,AS9,AS13", 3}};
constexpr locality_defaults quick = {"2^18", "4,8,12,16", "1-5", 16, {"AS1,AS2,AS7,AS9", 3}};

constexpr std::uint64_t most_factors = 65536;

lab::wandering parse_variant(std::string_view name) {
  for (const auto one : {lab::wandering::code, lab::wandering::paper, lab::wandering::slides}) {
    if (lab::to_string(one) == name) return one;
  }
  throw usage_error(
      fmt::format("--variant: unknown value '{}' (known: code, paper, slides)", name));
}

series_request make_request(const locality_options& options) {
  const locality_defaults& preset = options.common.quick ? quick : usual;
  const std::string links = options.links.value_or(preset.links);
  lab::locality_sizes sizes;
  sizes.total = parse_links(links);
  const bool decimal = sizes.total.base == 10;
  const std::string subsystems =
      options.subsystems.value_or(decimal ? preset.decimal_subsystems : preset.subsystems);
  const std::string accesses = options.accesses.value_or("8");
  const std::string shuffles = options.shuffles.value_or("5");
  sizes.subsystems = parse_integers<int>("--subsystem", subsystems, 0, decimal ? 9 : 31);
  sizes.accesses = parse_integers("--accesses", accesses, 1, most_factors);
  sizes.shuffles = parse_integers("--shuffles", shuffles, 0, most_factors);
  sizes.repeats = options.repeats.value_or(0);
  sizes.touches = preset.touches;
  sizes.how = parse_variant(options.variant);

  series_request request;
  request.bench = "locality";
  request.plan = lab::plan_locality(sizes, make_conditions(options.common, preset.common));
  request.parameters = {{"links", links},
                        {"subsystem", subsystems},
                        {"accesses", accesses},
                        {"shuffles", shuffles},
                        {"variant", options.variant}};
  if (options.repeats) {
    request.parameters["repeats"] = static_cast<std::int64_t>(*options.repeats);
  } else {
    request.parameters["repeats"] = fmt::format("{} / accesses", preset.touches);
  }
  return request;
}

}  // namespace

void add_locality_command(CLI::App& bench, context& shared) {
  CLI::App* command =
      bench.add_subcommand("locality", "Benchmark II: walking lists whose elements have wandered");
  const auto options = std::make_shared<locality_options>();
  command->add_option("--links,--global", options->links,
                      "Links of all lists: 2^21, 2^23, 2^25, 10^7 or a number (default: 2^21)");
  command->add_option("--subsystem", options->subsystems,
                      "log2 of the links of a list, like 4,8-12; log10 where the links are a power "
                      "of ten (default: 4,8,12,16,20)");
  command->add_option("--accesses", options->accesses,
                      "How often a list is walked each time it has its turn (default: 8)");
  command
      ->add_option("--repeats", options->repeats,
                   "Turns of each list (default: 32 / accesses, at least 1)")
      ->check(CLI::Range(std::uint64_t{1}, most_factors).description(""));
  command->add_option("--shuffles", options->shuffles,
                      "How often each link wanders, on average (default: 5)");
  command->add_option("--variant", options->variant,
                      "How links wander: as in the code, the paper or the slides (default: code)");
  add_series_options(*command, options->common, usual.common);
  run_when_chosen(*command, shared, options, make_request);
}

}  // namespace mallard::cli
