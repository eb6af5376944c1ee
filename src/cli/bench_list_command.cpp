// mallard bench list
#include <fmt/format.h>

#include <utility>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "lab/peers.hpp"
#include "lab/strategies.hpp"
#include "lab/structures.hpp"

namespace mallard::cli {
namespace {

int list_everything() {
  fmt::print("Benches\n");
  for (const auto& [name, what] :
       {std::pair{"density", "Benchmark I of P0089R1: building and dropping containers"},
        std::pair{"locality", "Benchmark II: walking lists whose elements have wandered"},
        std::pair{"utilization", "Benchmark III: little of the memory asked for is in use at once"},
        std::pair{"contention", "Benchmark IV: threads that do nothing but allocate and free"},
        std::pair{"false-sharing", "the slides' parallel counter, and small objects of threads"}}) {
    fmt::print("  {:<14} {}\n", name, what);
  }
  fmt::print("\nData structures\n");
  for (const lab::structure& ds : lab::all_structures()) {
    fmt::print("  {:<5} {}\n", ds.name, ds.type);
  }
  fmt::print("\nStrategies\n");
  for (const lab::strategy& one : lab::all_strategies()) {
    const char* buffer =
        one.what == lab::mechanism::monotonic && !one.callers_buffer ? ", no caller's buffer" : "";
    fmt::print("  {:<5} {}, {}, {}{}\n", one.name, lab::to_string(one.what),
               lab::to_string(one.how), lab::to_string(one.end), buffer);
  }
  fmt::print("  {:<5} a pool that threads may share, abstract base (contention)\n", "sync");
  fmt::print("  {:<5} a lock around the multipool (contention)\n", "mutex");
  fmt::print("\nHeaps\n  clean  as it is at the start of a program\n");
  fmt::print("  aged   full of holes, and settled; the same for every strategy\n");
  fmt::print("\nPeers\n");
  for (const auto& peer : lab::available_peers()) {
    fmt::print("  {:<8} {}\n", peer.name, peer.version);
  }
  for (const auto& peer : lab::missing_peers()) {
    fmt::print("  {:<8} skipped: {}\n", peer.peer, peer.reason);
  }
  return success;
}

}  // namespace

void add_bench_list_command(CLI::App& bench, context& shared) {
  bench.add_subcommand("list", "What can be measured: structures, strategies, peers")
      ->callback([&shared] { shared.chosen = list_everything; });
}

}  // namespace mallard::cli
