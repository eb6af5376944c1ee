#include "profile/arena_scopes.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace mallard::profile {
namespace {

constexpr std::size_t stacks_shown = 5;
constexpr std::size_t scopes_kept = 200;
// A function called once that holds this share of all blocks is main under another name.
constexpr double trunk_share = 0.9;

struct candidate {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t survivors = 0;
  std::uint64_t outermost = 0;  // blocks of stacks on which no candidate is further out
  std::map<std::uint32_t, block_sum> stacks;  // of survivors

  bool qualifies() const {
    return blocks > 0 &&
           static_cast<double>(blocks - survivors) >= arena_share * static_cast<double>(blocks);
  }
};

// Every stack with its frames' functions, outermost first, each function once; and how many frames
// lie inside its outermost frame.
struct call {
  std::uint32_t function;
  std::uint32_t inside;
};
std::vector<call> calls_of(const trace_reader& trace, const function_table& functions,
                           std::uint32_t stack) {
  std::vector<call> out;
  std::uint32_t inside = 0;
  for (std::uint32_t at = stack; at != 0; at = trace.stacks()[at].parent, ++inside) {
    const std::uint32_t function = functions.of(at);
    const auto again = std::find_if(out.begin(), out.end(),
                                    [&](const call& one) { return one.function == function; });
    if (again != out.end()) out.erase(again);
    out.push_back({function, inside});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

class finder {
 public:
  finder(const invocation_tracker& tracker, const trace_reader& trace,
         const function_table& functions)
      : tracker_(tracker),
        trace_(trace),
        functions_(functions),
        candidates_(functions.functions().size()) {
    guessed_.resize(candidates_.size());
    for (std::uint32_t id = 1; id < trace.stacks().size(); ++id) {
      if (trace.stacks()[id].frame_address == 0) guessed_[functions.of(id)] = true;
    }
    add_up();
    find_trunks();
    find_outermost();
  }

  std::vector<arena_scope> scopes() const {
    std::vector<arena_scope> out = scopes_of(false);
    return out.empty() ? scopes_of(true) : out;
  }

 private:
  template <class Visit>
  void for_each_stack(const Visit& visit) const {
    const auto& births = tracker_.births();
    for (std::uint32_t stack = 1; stack < births.size(); ++stack) {
      if (births[stack].blocks > 0)
        visit(stack, births[stack], calls_of(trace_, functions_, stack));
    }
  }

  void add_up() {
    for_each_stack([&](std::uint32_t, const block_sum& born, const std::vector<call>& calls) {
      total_ += born.blocks;
      for (const call& one : calls) {
        candidates_[one.function].blocks += born.blocks;
        candidates_[one.function].bytes += born.bytes;
      }
    });
    for (const auto& [survival, sum] : tracker_.survivals()) {
      for (const call& one : calls_of(trace_, functions_, survival.stack)) {
        if (one.inside >= survival.ended) continue;
        candidate& of = candidates_[one.function];
        of.survivors += sum.blocks;
        block_sum& there = of.stacks[survival.stack];
        there.blocks += sum.blocks;
        there.bytes += sum.bytes;
      }
    }
  }

  bool qualifies(std::uint32_t function) const {
    return !functions_[function].root && candidates_[function].qualifies();
  }

  void find_trunks() {
    trunk_.resize(candidates_.size());
    for (std::uint32_t function = 1; function < candidates_.size(); ++function) {
      trunk_[function] = qualifies(function) && tracker_.sums()[function].invocations == 1 &&
                         static_cast<double>(candidates_[function].blocks) >=
                             trunk_share * static_cast<double>(total_);
    }
    // Without anything below that would do, it is no trunk but the scope itself.
    std::vector<std::uint64_t> below(candidates_.size());
    for_each_stack([&](std::uint32_t, const block_sum& born, const std::vector<call>& calls) {
      const bool other = std::any_of(calls.begin(), calls.end(), [&](const call& one) {
        return qualifies(one.function) && !trunk_[one.function];
      });
      if (!other) return;
      for (const call& one : calls) below[one.function] += born.blocks;
    });
    for (std::uint32_t function = 1; function < candidates_.size(); ++function) {
      if (2 * below[function] < candidates_[function].blocks) trunk_[function] = false;
    }
  }

  void find_outermost() {
    for_each_stack([&](std::uint32_t, const block_sum& born, const std::vector<call>& calls) {
      for (const call& one : calls) {
        if (!qualifies(one.function)) continue;
        candidates_[one.function].outermost += born.blocks;
        if (!trunk_[one.function]) return;
      }
    });
  }

  std::vector<arena_scope> scopes_of(bool roots) const {
    std::vector<arena_scope> out;
    for (std::uint32_t function = 1; function < candidates_.size(); ++function) {
      const candidate& one = candidates_[function];
      const bool called = tracker_.sums()[function].invocations > 0;
      const bool wanted =
          roots ? functions_[function].root && one.qualifies() &&
                      !is_start_of_thread(functions_[function].name)
                : qualifies(function) && 10 * one.outermost >= one.blocks && one.outermost > 0;
      if (wanted && called) out.push_back(scope_of(function));
    }
    std::sort(out.begin(), out.end(), [](const arena_scope& a, const arena_scope& b) {
      if (a.trunk != b.trunk) return b.trunk;
      return std::tie(b.total_bytes, a.function) < std::tie(a.total_bytes, b.function);
    });
    if (out.size() > scopes_kept) out.resize(scopes_kept);
    return out;
  }

  arena_scope scope_of(std::uint32_t function) const {
    const candidate& one = candidates_[function];
    const invocation_sum& sum = tracker_.sums()[function];
    arena_scope out;
    out.function = functions_[function].name;
    out.module = functions_[function].module;
    out.trunk = trunk_[function];
    out.threads.assign(sum.threads.begin(), sum.threads.end());
    out.invocations = sum.invocations;
    out.by_instant = sum.by_instant;
    out.blocks = one.blocks;
    out.total_bytes = one.bytes;
    out.survivors = one.survivors;
    out.dead = one.blocks - one.survivors;
    out.dead_share = static_cast<double>(out.dead) / static_cast<double>(out.blocks);
    out.median_bytes = sum.bytes.quantile(0.5);
    out.p99_bytes = sum.bytes.quantile(0.99);
    out.max_bytes = sum.bytes.max();
    out.bytes_counts = sum.bytes.sorted();
    out.confidence = !guessed_[function] ? "high" : "low";
    std::vector<std::pair<std::uint32_t, block_sum>> stacks(one.stacks.begin(), one.stacks.end());
    std::sort(stacks.begin(), stacks.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second.blocks, a.first) < std::tie(a.second.blocks, b.first);
    });
    if (stacks.size() > stacks_shown) stacks.resize(stacks_shown);
    for (const auto& [stack, blocks] : stacks) {
      out.survivor_stacks.push_back(
          {frame_names(trace_, functions_, stack, 16), blocks.blocks, blocks.bytes});
    }
    return out;
  }

  const invocation_tracker& tracker_;
  const trace_reader& trace_;
  const function_table& functions_;
  std::vector<candidate> candidates_;  // by function
  std::vector<bool> trunk_;
  std::vector<bool> guessed_;  // some frame's address is not known
  std::uint64_t total_ = 0;
};

}  // namespace

std::vector<std::string> frame_names(const trace_reader& trace, const function_table& functions,
                                     std::uint32_t stack, std::size_t most) {
  std::vector<std::string> out;
  for (std::uint32_t at = stack; at != 0 && out.size() < most; at = trace.stacks()[at].parent) {
    const std::string& name = functions[functions.of(at)].name;
    if (out.empty() && is_allocation_function(name)) continue;
    out.push_back(name);
  }
  return out;
}

std::vector<arena_scope> find_arena_scopes(const invocation_tracker& tracker,
                                           const trace_reader& trace,
                                           const function_table& functions) {
  return finder(tracker, trace, functions).scopes();
}

}  // namespace mallard::profile
