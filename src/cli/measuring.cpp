#include "cli/measuring.hpp"

namespace mallard::cli {

std::string main_peer(const lab::run_info& run) {
  return run.peers.empty() ? "mallard" : run.peers.front().name;
}

void tell_results(const lab::run_info& run, const std::string& file) {
  fmt::print("\nResults: {}\nTo measure again: {}\n", file, run.command);
  for (std::size_t i = 1; i < run.peers.size(); ++i) {
    fmt::print("The same tables for {0}: mallard show {1} --peer {0}\n", run.peers[i].name, file);
  }
  fmt::print("As a page: mallard report {} -o report.html\n", file);
}

}  // namespace mallard::cli
