#include "profile/marked_scopes.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace mallard::profile {

std::vector<arena_scope> marked_scopes(const mark_tracker& marks, const trace_reader& trace,
                                       const function_table& functions) {
  std::vector<arena_scope> out;
  for (const auto& [name, sum] : marks.sums()) {
    arena_scope one;
    one.function = name_of(trace.facts(), name_kind::scope, name);
    one.marked = true;
    one.threads.assign(sum.invocations.threads.begin(), sum.invocations.threads.end());
    one.invocations = sum.invocations.invocations;
    one.blocks = sum.born.blocks;
    one.total_bytes = sum.born.bytes;
    std::vector<std::pair<std::uint32_t, block_sum>> stacks(sum.survivors.begin(),
                                                            sum.survivors.end());
    for (const auto& [stack, blocks] : stacks) one.survivors += blocks.blocks;
    std::sort(stacks.begin(), stacks.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second.blocks, a.first) < std::tie(a.second.blocks, b.first);
    });
    if (stacks.size() > 5) stacks.resize(5);
    for (const auto& [stack, blocks] : stacks) {
      one.survivor_stacks.push_back(
          {frame_names(trace, functions, stack, 16), blocks.blocks, blocks.bytes});
    }
    one.dead = one.blocks - std::min(one.blocks, one.survivors);
    one.dead_share =
        one.blocks == 0 ? 1 : static_cast<double>(one.dead) / static_cast<double>(one.blocks);
    one.median_bytes = sum.invocations.bytes.quantile(0.5);
    one.p99_bytes = sum.invocations.bytes.quantile(0.99);
    one.max_bytes = sum.invocations.bytes.max();
    one.bytes_counts = sum.invocations.bytes.sorted();
    one.max_blocks = sum.invocations.most_blocks;
    one.confidence = "high";
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace mallard::profile
