#include "lab/plan.hpp"

#include <algorithm>
#include <cmath>

#include "lab/peers.hpp"

namespace mallard::lab {

std::uint64_t density_plan::leaves() const {
  const double scaled = std::round(scale * static_cast<double>(paper_leaves));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(scaled));
}

std::size_t density_plan::cells() const {
  return structures.size() * sizes.size() * columns.size() * heaps.size();
}

std::vector<column> make_columns(std::span<const strategy* const> strategies,
                                 std::span<const std::string> peers) {
  std::vector<column> columns;
  const auto add = [&](const strategy* how, std::string_view peer) {
    if (find_kernel(1, *how, peer, mode::fair)) columns.push_back({how, std::string(peer)});
  };
  for (const strategy* how : strategies) add(how, global_peer);
  for (const std::string& peer : peers) {
    for (const strategy* how : strategies) add(how, peer);
  }
  return columns;
}

std::uint64_t leaves_per_run(const structure& ds, int size) {
  return (std::uint64_t{1} << size) * ds.leaves_per_element();
}

std::uint64_t buffer_bytes(const structure& ds, int size) {
  // Twice the largest string or node with its share of the containers, and some for small pools
  // that grow their chunks geometrically. Untouched pages of it cost nothing.
  const std::uint64_t bytes_per_leaf = ds.strings ? 2400 : 128;
  const std::uint64_t spare = 8ULL << 20;
  return std::min(max_buffer_bytes, spare + leaves_per_run(ds, size) * bytes_per_leaf);
}

}  // namespace mallard::lab
