// mallard bench realloc, mixed
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/extended_options.hpp"
#include "cli/lists.hpp"
#include "cli/series_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct realloc_options {
  std::optional<std::string> bytes;
  std::string steps = "x1.5,x2,+64k,+1M";
  std::uint64_t rounds = 10;
  extended_options common;
};

struct mixed_options {
  std::optional<std::string> live;
  std::string low = "16";
  std::string high = "64k";
  std::optional<std::uint64_t> operations;
  extended_options common;
};

constexpr std::uint64_t least_final_bytes = 64 << 10;
constexpr std::uint64_t most_final_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t most_block_bytes = 1 << 30;

series_request realloc_request(const realloc_options& options) {
  const std::string bytes = options.bytes.value_or(options.common.quick ? "4M" : "1M,256M");
  lab::realloc_sizes sizes;
  sizes.rounds = options.rounds;
  for (const std::string& item : split_list(bytes)) {
    sizes.final_bytes.push_back(parse_bytes("--bytes", item));
    if (sizes.final_bytes.back() < least_final_bytes ||
        sizes.final_bytes.back() > most_final_bytes) {
      throw usage_error(fmt::format("--bytes: '{}' is not from 64k to 1T", item));
    }
  }
  sizes.steps = parse_steps("--steps", options.steps);

  series_request request;
  request.bench = "realloc";
  request.plan = lab::plan_realloc(
      sizes, make_extended_conditions(options.common, [](const lab::series_column& column) {
        return lab::find_realloc_kernel(column) != nullptr;
      }));
  request.parameters = {{"bytes", bytes},
                        {"steps", options.steps},
                        {"rounds", static_cast<std::int64_t>(options.rounds)}};
  return request;
}

series_request mixed_request(const mixed_options& options) {
  const bool small = options.common.quick;
  const std::string live = options.live.value_or(small ? "10,12" : "10,12,14");
  lab::mixed_sizes sizes;
  sizes.live = parse_integers<int>("--live", live, 0, 30);
  sizes.operations_per_block = options.operations.value_or(small ? 16 : 128);
  sizes.low = parse_bytes("--low", options.low);
  sizes.high = parse_bytes("--high", options.high);
  if (sizes.low < 1 || sizes.low > sizes.high || sizes.high > most_block_bytes) {
    throw usage_error(fmt::format("blocks of {} to {} bytes are not 1 to 1G, the smaller first",
                                  options.low, options.high));
  }

  series_request request;
  request.bench = "mixed";
  request.plan = lab::plan_mixed(
      sizes, make_extended_conditions(options.common, [](const lab::series_column& column) {
        return lab::find_mixed_kernel(column) != nullptr;
      }));
  request.parameters = {{"live", live},
                        {"low", options.low},
                        {"high", options.high},
                        {"operations", static_cast<std::int64_t>(sizes.operations_per_block)}};
  return request;
}

}  // namespace

void add_heap_commands(CLI::App& bench, context& shared) {
  const auto realloc = std::make_shared<realloc_options>();
  CLI::App* command =
      bench.add_subcommand("realloc", "One block that grows step by step: who has to move it");
  command->add_option("--bytes", realloc->bytes,
                      "How large it becomes, like 1M,256M (default: 1M,256M)");
  command->add_option("--steps", realloc->steps,
                      "Factors and bytes that are added (default: x1.5,x2,+64k,+1M)");
  command->add_option("--rounds", realloc->rounds, "Blocks, one after the other (default: 10)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1000000}).description(""));
  add_extended_options(*command, realloc->common);
  run_when_chosen(*command, shared, realloc, realloc_request);

  const auto mixed = std::make_shared<mixed_options>();
  command = bench.add_subcommand("mixed", "Blocks of all sizes, of which random ones are replaced");
  command->add_option("--live", mixed->live, "log2 of the blocks there are (default: 10,12,14)");
  command->add_option("--low", mixed->low, "Bytes of the smallest blocks (default: 16)");
  command->add_option("--high", mixed->high, "Bytes of the largest ones (default: 64k)");
  command
      ->add_option("--operations", mixed->operations,
                   "Replacements for each block that is there (default: 128)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1000000}).description(""));
  add_extended_options(*command, mixed->common);
  run_when_chosen(*command, shared, mixed, mixed_request);
}

}  // namespace mallard::cli
