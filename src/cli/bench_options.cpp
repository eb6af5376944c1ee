#include "cli/bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/measuring/machine.hpp"
#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/meters.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::cli {
namespace {

std::string with_default(const std::string& help, const std::string& usual) {
  return usual.empty() ? help : fmt::format("{} (default: {})", help, usual);
}

void add_axis(command_parser command, const lab::axis& one, bench_options& options) {
  if (one.is_flag) {
    command.add_flag("--" + one.name, options.flags[one.name], one.help);
    return;
  }
  command.add_option("--" + one.name + one.aliases, options.texts[one.name],
                     with_default(one.help, one.usual_help));
}

void add_rivals(command_parser command, const lab::rivals_of& who, bench_options& options) {
  lab::rivals_request& asked = options.rivals;
  if (who.kind == lab::rivals::mallocs) {
    command
        .add_option("--allocators", asked.mallocs,
                    "Like glibc,mallard,jemalloc (default: all found)")
        .takes("MALLOC");
    command.add_option("--allocator", asked.more_mallocs,
                       "Another malloc, NAME=FILE.so; may be given several times");
    return;
  }
  if (who.kind == lab::rivals::columns) {
    command.add_option(
        "--columns", asked.columns,
        "Allocators, like v2@mallard,std@std (default: all; an unknown name lists them)");
  } else {
    command
        .add_option("--strategies", asked.strategies,
                    with_default("Like AS1,AS3,AS7-AS9", who.usual))
        .takes("STRATEGY");
    command
        .add_option("--peer-strategies", asked.peer_strategies,
                    "Strategies of the other libraries (default: as --strategies)")
        .takes("STRATEGY");
  }
  command
      .add_option("--peers", asked.peers,
                  "Libraries whose resources are measured (default: all available)")
      .takes("PEER");
  command.add_option("--heap", asked.heaps, with_default("clean, aged or both", who.usual_heaps));
  command
      .add_option("--malloc", options.malloc,
                  "Measure with this malloc: a name from 'mallard bench list', or a library")
      .takes("MALLOC");
}

// 7/8 of the memory, so that a cell that is too large for the machine fails by itself. None where
// this process has reserved more than that already, as sanitizers and some mallocs do.
std::uint64_t usual_memory_limit() {
  const std::uint64_t limit = lab::this_machine().memory_bytes / 8 * 7;
  return lab::read_address_space_bytes() < limit / 2 ? limit : 0;
}

}  // namespace

void add_bench_options(command_parser command, const lab::bench& what, bench_options& options) {
  for (const lab::axis& one : what.axes) add_axis(command, one, options);
  add_rivals(command, what.contenders, options);
  if (!what.scaled.empty()) {
    command.add_option(
        "--scale", options.scale,
        fmt::format("Fraction of the {}, like 1/100 (default: {})", what.scaled, what.usual_scale));
  }
  if (what.contenders.kind != lab::rivals::mallocs) {
    command.add_option(
        "--memory-limit", options.memory_limit,
        fmt::format("Address space of a measuring process, like 2G; 0: no limit (default: {})",
                    what.limits_memory ? "7/8 of the memory" : "none"));
  }
  command
      .add_option("--reps", options.repetitions,
                  fmt::format("Repetitions of each cell (default: {})", what.repetitions))
      .within(1, 10000);
  command.add_option("--seed", options.seed,
                     "Seed of random choices, of the order and of the intervals");
  command.add_option("--json", options.json, "Result file (default: results/BENCH-DATE.jsonl)");
  command.add_option("--timeout", options.timeout, "Seconds a repetition may take (default: 300)")
      .within(0.001, 1e6);
  command.add_flag("--quick", options.quick, "Smaller defaults, for a run of some 20 seconds");
  const parser_option resume = command.add_flag("--resume", options.resume,
                                                "Continue the result file: skip the cells it has");
  command.add_flag("--force", options.force, "Replace the result file if it exists")
      .excludes(resume);
}

bench_order make_order(const lab::bench& what, const bench_options& options) {
  lab::bench_request asked;
  asked.quick = options.quick;
  asked.scale = options.scale;
  asked.seed = options.seed;
  for (const auto& [name, text] : options.texts) {
    if (text) asked.texts[name] = *text;
  }
  for (const auto& [name, set] : options.flags) {
    if (set) asked.texts[name] = "1";
  }
  bench_order order;
  lab::rivals_request rivals = options.rivals;
  rivals.quick = options.quick;
  rivals.program = lab::own_program();
  order.rivals = lab::choose_rivals(what, rivals);
  order.plan.what = &what;
  order.plan.places = lab::make_places(what, asked);
  order.plan.contenders = order.rivals.contenders;
  order.plan.repetitions =
      options.repetitions.value_or(options.quick ? what.quick_repetitions : what.repetitions);
  order.plan.seed = options.seed;
  order.plan.timeout_seconds = options.timeout;
  order.plan.program = rivals.program;
  if (options.memory_limit) {
    order.plan.memory_limit = lab::parse_bytes("--memory-limit", *options.memory_limit);
  } else if (what.limits_memory) {
    order.plan.memory_limit = usual_memory_limit();
  }
  order.parameters = lab::common_parameters(what, asked, order.plan.places);
  return order;
}

}  // namespace mallard::cli
