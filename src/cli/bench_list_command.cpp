// mallard bench list
#include <fmt/format.h>

#include <utility>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "lab/allocators.hpp"
#include "lab/kernels/extended_work.hpp"
#include "lab/peers.hpp"
#include "lab/strategies.hpp"
#include "lab/structures.hpp"

namespace mallard::cli {
namespace {

// By any of the benches of extended allocators.
bool is_measured(const lab::series_column& one) {
  return lab::find_growth_kernel(one, lab::element_type::pod64, lab::growth_form::alone) ||
         lab::find_pool_kernel(one) || lab::find_realloc_kernel(one) || lab::find_mixed_kernel(one);
}

int list_everything() {
  fmt::print("Benches\n");
  for (const auto& [name, what] :
       {std::pair{"density", "Benchmark I of P0089R1: building and dropping containers"},
        std::pair{"locality", "Benchmark II: walking lists whose elements have wandered"},
        std::pair{"utilization", "Benchmark III: little of the memory asked for is in use at once"},
        std::pair{"contention", "Benchmark IV: threads that do nothing but allocate and free"},
        std::pair{"false-sharing", "the slides' parallel counter, and small objects of threads"},
        std::pair{"churn", "mallocs: threads replace random blocks among a few"},
        std::pair{"thrash", "mallocs: do they put blocks of several threads on one cache line?"},
        std::pair{"scratch", "mallocs: do they leave them there when the program did?"},
        std::pair{"speed", "mallocs: chains of malloc, calloc, realloc and free"},
        std::pair{"memory", "mallocs: what producers and consumers make them hold, over time"},
        std::pair{"larson", "mallocs: threads leave their blocks to their successors"},
        std::pair{"remote-free", "mallocs: one thread frees what another one allocated"},
        std::pair{"mixed-malloc", "mallocs: blocks of all sizes, and how long calls take"},
        std::pair{"expand-forward", "vectors that grow where they are, alone and among others"},
        std::pair{"expand-backward", "vectors with room in front of them only"},
        std::pair{"shrink", "vectors that give back what they no longer need"},
        std::pair{"burst", "containers of nodes, filled and emptied by ranges"},
        std::pair{"adaptive-pool", "pools of nodes, and what they keep when these are erased"},
        std::pair{"realloc", "one block that grows step by step"},
        std::pair{"mixed", "blocks of all sizes, of which random ones are replaced"}}) {
    fmt::print("  {:<16} {}\n", name, what);
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
  fmt::print("\nAllocators of the benches from expand-forward on\n");
  for (const lab::series_column& one : lab::extended_columns()) {
    if (is_measured(one)) fmt::print("  {}\n", lab::column_name(one.strategy, one.peer));
  }
  fmt::print("\nHeaps\n  clean  as it is at the start of a program\n");
  fmt::print("  aged   full of holes, and settled; the same for every strategy\n");
  fmt::print("\nPeers\n");
  for (const auto& peer : lab::available_peers()) {
    fmt::print("  {:<8} {}\n", peer.name, peer.version);
  }
  for (const auto& peer : lab::missing_peers()) {
    fmt::print("  {:<8} skipped: {}\n", peer.peer, peer.reason);
  }
  fmt::print("\nMallocs\n");
  const lab::allocator_list mallocs = lab::find_allocators(lab::own_program());
  for (const auto& one : mallocs.found) {
    fmt::print("  {:<17} {}\n", one.name, one.file.empty() ? "the system's" : one.file.string());
  }
  for (const auto& one : mallocs.missing) {
    fmt::print("  {:<17} skipped: {}\n", one.peer, one.reason);
  }
  return success;
}

}  // namespace

void add_bench_list_command(CLI::App& bench, context& shared) {
  bench.add_subcommand("list", "What can be measured: structures, strategies, peers")
      ->callback([&shared] { shared.chosen = list_everything; });
}

}  // namespace mallard::cli
