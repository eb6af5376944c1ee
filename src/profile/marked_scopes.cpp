#include "profile/marked_scopes.hpp"

#include <algorithm>
#include <utility>

namespace mallard::profile {

std::vector<arena_scope> marked_scopes(const mark_tracker& marks, const trace_reader& trace,
                                       const function_table& functions) {
  std::vector<arena_scope> out;
  for (const auto& [name, sum] : marks.sums()) {
    arena_scope one;
    one.function = name_of(trace.facts(), name_kind::scope, name);
    one.marked = true;
    one.blocks = sum.born.blocks;
    one.total_bytes = sum.born.bytes;
    for (const auto& [stack, blocks] : sum.survivors) one.survivors += blocks.blocks;
    describe_calls(one, sum.invocations, {sum.survivors.begin(), sum.survivors.end()}, trace,
                   functions);
    one.dead = one.blocks - std::min(one.blocks, one.survivors);
    one.dead_share =
        one.blocks == 0 ? 1 : static_cast<double>(one.dead) / static_cast<double>(one.blocks);
    one.confidence = "high";
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace mallard::profile
