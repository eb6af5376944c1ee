#include "cli/density_options.hpp"

#include "cli/lists.hpp"
#include "cli/usage_error.hpp"
#include "lab/peers.hpp"

namespace mallard::cli {
namespace {

// What --quick changes: small enough for all structures and heaps in two minutes or so.
struct defaults {
  const char* strategies;
  const char* peer_strategies;  // null: the same
  const char* sizes;
  const char* scale;
  const char* heaps;
  unsigned repetitions;
};
constexpr defaults usual = {"all", nullptr, "6,10,14", "1/64", "clean", 5};
constexpr defaults quick = {"AS1-AS14", "AS2,AS3,AS5,AS7,AS9", "6,8,10", "1/1024", "clean,aged", 3};

// Our resources by the one list of strategies, the peers' by the other.
std::vector<lab::column> columns_of(const density_options& options, const defaults& preset) {
  const std::string ours = options.strategies.value_or(preset.strategies);
  std::string others = ours;
  if (options.peer_strategies) {
    others = *options.peer_strategies;
  } else if (!options.strategies && preset.peer_strategies != nullptr) {
    others = preset.peer_strategies;
  }
  std::vector<std::string> own;
  std::vector<std::string> foreign;
  for (const std::string& peer : parse_peers(options.peers)) {
    (peer == "mallard" ? own : foreign).push_back(peer);
  }
  std::vector<lab::column> columns = lab::make_columns(parse_strategies(ours), own);
  for (const lab::column& one : lab::make_columns(parse_strategies(others), foreign)) {
    if (one.peer != lab::global_peer) columns.push_back(one);
  }
  return columns;
}

}  // namespace

lab::density_plan make_plan(const density_options& options) {
  const defaults& preset = options.quick ? quick : usual;
  lab::density_plan plan;
  plan.structures = parse_structures(options.structures);
  plan.sizes = parse_sizes(options.sizes.value_or(preset.sizes));
  plan.columns = columns_of(options, preset);
  plan.heaps = parse_heaps(options.heaps.value_or(preset.heaps));
  plan.scale = parse_scale(options.scale.value_or(preset.scale));
  plan.repetitions = options.repetitions.value_or(preset.repetitions);
  plan.choices = options.paper ? lab::mode::paper : lab::mode::fair;
  plan.seed = options.seed;
  plan.timeout_seconds = options.timeout;
  if (options.memory_limit) {
    plan.memory_limit = parse_bytes("--memory-limit", *options.memory_limit);
  }
  if (plan.columns.empty()) {
    throw usage_error("none of the peers has any of the strategies (see 'mallard bench list')");
  }
  return plan;
}

void add_options(CLI::App& density, density_options& options) {
  density.add_option("--ds", options.structures, "Data structures, like 1,2,9-12 (default: all)");
  density.add_option("--sizes", options.sizes,
                     "log2 of the outer container, 4 to 20 (default: 6,10,14)");
  density.add_option("--strategies", options.strategies, "Like AS1,AS3-AS6,AS3n (default: all)");
  density.add_option("--peer-strategies", options.peer_strategies,
                     "Those of the other libraries (default: the same)");
  density.add_option("--scale", options.scale,
                     "Part of the paper's 2^27 leaf insertions per cell (default: 1/64)");
  auto* fair = density.add_flag("--fair", options.fair, "The same work for all (default)");
  density.add_flag("--paper", options.paper, "The original's choices, unfair ones included")
      ->excludes(fair);
  add_run_options(
      density, options,
      {.repetitions = usual.repetitions,
       .seed = "Of the strings, the order and the intervals",
       .json = "Result file (default: results/density-DATE.jsonl)",
       .memory_limit = "Address space of a measuring process, like 2G (default: none)",
       .quick = "Smaller defaults: AS1-AS14 of ours, AS2,AS3,AS5,AS7,AS9 of others, sizes 6,8,10, "
                "both heaps, scale 1/1024, 3 repetitions"});
}

}  // namespace mallard::cli
