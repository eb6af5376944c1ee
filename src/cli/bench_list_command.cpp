// mallard bench list
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include <utility>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "lab/bench/bench.hpp"
#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"

namespace mallard::cli {
namespace {

int list_everything() {
  fmt::print("Benches\n");
  for (const lab::bench& one : lab::all_benches()) {
    fmt::print("  {:<16} {}\n", one.name, one.summary);
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
  fmt::print("\nAllocators of the benches that have their own list\n");
  std::vector<std::string> listed;
  for (const lab::bench& bench : lab::all_benches()) {
    for (const lab::contender& one : bench.contenders.listed) {
      const std::string name = lab::column_name(one.strategy, one.peer);
      if (std::find(listed.begin(), listed.end(), name) == listed.end()) listed.push_back(name);
    }
  }
  for (const std::string& name : listed) fmt::print("  {}\n", name);
  fmt::print("\nHeaps\n  clean  as at the start of a program\n");
  fmt::print("  aged   full of holes, and settled; the same for every strategy\n");
  fmt::print("\nPeers\n");
  for (const auto& peer : lab::available_peers()) {
    fmt::print("  {:<8} {}\n", peer.name, peer.version);
  }
  for (const auto& peer : lab::missing_peers()) {
    fmt::print("  {:<8} skipped: {}\n", peer.peer, peer.reason);
  }
  fmt::print("\nMallocs\n");
  const lab::malloc_list mallocs = lab::find_mallocs(lab::own_program());
  for (const auto& one : mallocs.found) {
    fmt::print("  {:<17} {}\n", one.name, one.file.empty() ? "the system's" : one.file.string());
  }
  for (const auto& one : mallocs.missing) {
    fmt::print("  {:<17} skipped: {}\n", one.peer, one.reason);
  }
  return success;
}

}  // namespace

void add_bench_list_command(command_parser bench) {
  bench.add_command("list", "List what can be measured: structures, strategies, peers")
      .runs(list_everything);
}

}  // namespace mallard::cli
