#include "profile/arena_scopes.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "profile/name_pattern.hpp"
#include "profile/stack_children.hpp"

namespace mallard::profile {
namespace {

constexpr std::size_t stacks_shown = 5;
constexpr std::size_t scopes_kept = 200;
// A function keeps blocks if at least this share of them survives the scope.
constexpr double kept_share = 0.5;
constexpr std::size_t keepers_shown = 4;
constexpr std::size_t scopes_with_keepers = 8;  // the largest
// A function that is called once and holds so much of all blocks or bytes is main under another
// name.
bool is_nearly_all(std::uint64_t part, std::uint64_t all) {
  constexpr double share = 0.9;
  return static_cast<double>(part) >= share * static_cast<double>(all);
}

struct candidate {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t survivors = 0;
  std::uint64_t guessed = 0;    // of them, see arena_scope
  std::uint64_t left_open = 0;  // blocks that lived when the recording ended inside its call
  std::uint64_t outermost = 0;  // blocks of stacks where no candidate is further out

  // Blocks of which it is known whether they survived.
  std::uint64_t known() const { return blocks - left_open; }
  std::uint64_t dead() const { return known() - survivors; }
  bool qualifies() const {
    return blocks > 0 && 2 * left_open <= blocks &&
           static_cast<double>(dead()) >= arena_share * static_cast<double>(known());
  }
};

// A function counts once for each stack, with its outermost frame there. So a function holds what
// the trees of stacks below its first frames hold. One pass from the leaves inwards makes these
// sums, because a stack's number is larger than its parent's. Facts about outer frames are passed
// from the root outwards in the same way.
class finder {
 public:
  finder(const invocation_tracker& tracker, const stack_loads& loads, const trace_reader& trace,
         const function_table& functions, const std::vector<std::string>& asked_for)
      : tracker_(tracker),
        loads_(loads),
        trace_(trace),
        functions_(functions),
        candidates_(functions.functions().size()) {
    guessed_.resize(candidates_.size());
    for (std::uint32_t id = 1; id < stacks(); ++id) {
      if (trace.stacks().frame_address(id) == 0) guessed_[functions.of(id)] = true;
    }
    asked_.resize(candidates_.size());
    for (const std::string& pattern : asked_for) {
      const name_pattern wanted(pattern);
      for (std::uint32_t id = 1; id < candidates_.size(); ++id) {
        asked_[id] = asked_[id] || wanted.is_in(functions_[id].name);
      }
    }
    find_first_frames();
    add_up();
    find_trunks();
    find_outermost();
  }

  // Roots are named if no other scope is. A thread's function is, too, if it has far more blocks
  // than all other scopes.
  std::vector<arena_scope> scopes() const {
    std::vector<arena_scope> out = scopes_of(false);
    const bool asked = std::find(asked_.begin(), asked_.end(), true) != asked_.end();
    std::uint64_t blocks = 0;
    for (const arena_scope& one : out) blocks += one.blocks;
    if (asked || (blocks > 0 && total_.blocks <= 2 * blocks)) return out;
    for (arena_scope& root : scopes_of(true)) {
      const bool is_most = root.invocations > 1 && root.blocks > 2 * blocks;
      if (blocks == 0 || is_most) out.push_back(std::move(root));
    }
    return out;
  }

 private:
  std::uint32_t parent(std::uint32_t stack) const { return trace_.stacks().parent(stack); }
  std::uint32_t stacks() const { return trace_.stacks().size(); }

  // Finds the stacks whose innermost frame is the outermost one of its function. It walks the
  // stacks by number and counts the functions on the way from the root to the current one. Stacks
  // are numbered in the order in which the program reached them, so the next one is seldom far
  // away, and callers have smaller numbers.
  void find_first_frames() {
    first_.resize(stacks());
    std::vector<std::uint32_t> open(candidates_.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> way;  // stacks and functions
    const auto leave_what_is_behind = [&](std::uint32_t stack) {
      while (!way.empty() && way.back().first > stack) {
        --open[way.back().second];
        way.pop_back();
      }
    };
    std::vector<std::uint32_t> ahead;
    for (std::uint32_t id = 1; id < stacks(); ++id) {
      for (std::uint32_t at = parent(id);; at = parent(at)) {
        leave_what_is_behind(at);
        if (at == 0 || (!way.empty() && way.back().first == at)) break;
        ahead.push_back(at);
      }
      for (; !ahead.empty(); ahead.pop_back()) {
        way.emplace_back(ahead.back(), functions_.of(ahead.back()));
        ++open[way.back().second];
      }
      way.emplace_back(id, functions_.of(id));
      first_[id] = open[way.back().second]++ == 0;
    }
  }

  void add_up() {
    // One after the other, to save memory: there may be millions of stacks.
    total_.bytes =
        add_up([&](std::uint32_t id) { return loads_.of(id).bytes; }, &candidate::bytes)[0];
    add_survivors();
    const std::vector<std::uint64_t>& left_open = tracker_.left_open();
    if (!left_open.empty()) {
      add_up([&](std::uint32_t id) { return left_open[id]; }, &candidate::left_open);
    }
    blocks_ = add_up([&](std::uint32_t id) { return loads_.of(id).blocks; }, &candidate::blocks);
    total_.blocks = blocks_[0];
  }

  // Effects: adds what lies on and below the functions' frames to their sums. Returns: the same by
  // stack.
  template <class Own>
  std::vector<std::uint64_t> add_up(const Own& own, std::uint64_t candidate::* sum) {
    std::vector<std::uint64_t> below = sums_below<std::uint64_t>(trace_.stacks(), own);
    for (std::uint32_t id = 1; id < stacks(); ++id) {
      if (first_[id]) candidates_[functions_.of(id)].*sum += below[id];
    }
    return below;
  }

  // Counts blocks that outlived a frame: adds them at their stack, subtracts them at the innermost
  // frame that had not ended.
  void add_survivors() {
    std::vector<std::uint64_t> own(stacks());
    tracker_.for_each_survival([&](const invocation_tracker::survival& one, const block_sum& sum) {
      own[one.stack] += sum.blocks;
      const std::uint32_t open = outside(one);
      if (open != 0) own[open] -= sum.blocks;
    });
    add_up_frames(own, &candidate::survivors);
    if (tracker_.guesses().empty()) return;
    std::fill(own.begin(), own.end(), 0);
    for (const auto& [one, blocks] : tracker_.guesses()) {
      own[one.stack] += blocks;
      const std::uint32_t open = outside(one);
      if (open != 0) own[open] -= blocks;
    }
    add_up_frames(own, &candidate::guessed);
  }

  // Effects: adds what lies on and below each function's frames to its sum; `own` is used up.
  void add_up_frames(std::vector<std::uint64_t>& own, std::uint64_t candidate::* sum) {
    for (std::uint32_t id = stacks(); id-- > 1;) {
      if (first_[id]) candidates_[functions_.of(id)].*sum += own[id];
      own[parent(id)] += own[id];
    }
  }

  // Returns: the innermost frame that had not ended before the blocks; 0 if none.
  std::uint32_t outside(const invocation_tracker::survival& one) const {
    if (one.ended >= invocation_tracker::all_frames) return 0;
    std::uint32_t at = one.stack;
    for (std::uint32_t i = 0; i < one.ended && at != 0; ++i) at = parent(at);
    return at;
  }

  bool qualifies(std::uint32_t function) const {
    const profile::function& is = functions_[function];
    return !is.root && !is.of_library && candidates_[function].qualifies();
  }

  // Trunks: called once, with nearly all blocks or bytes below. An arena there would live until the
  // program exits.
  void find_trunks() {
    trunk_.resize(candidates_.size());
    for (std::uint32_t function = 1; function < candidates_.size(); ++function) {
      const candidate& one = candidates_[function];
      trunk_[function] =
          one.qualifies() && tracker_.sums()[function].invocations == 1 &&
          (is_nearly_all(one.blocks, total_.blocks) || is_nearly_all(one.bytes, total_.bytes));
    }
  }

  // An arena is fast while it fits the cache. So where a function's calls request more than that,
  // one inside it is the better place if it has nearly all of the blocks in far smaller calls.
  std::vector<bool> too_large() const {
    constexpr std::uint64_t far_smaller = 4;
    const std::vector<std::uint64_t>& caches = trace_.facts().process.cache_bytes;
    std::vector<bool> out(candidates_.size());
    if (caches.size() < 2) return out;
    std::vector<std::uint64_t> of_call(candidates_.size());  // bytes; 0: no scope
    for (std::uint32_t function = 1; function < candidates_.size(); ++function) {
      if (!qualifies(function) || trunk_[function]) continue;
      of_call[function] = tracker_.sums()[function].bytes.quantile(0.99);
    }
    const auto fits = [&](std::uint64_t bytes) { return bytes <= caches[1]; };
    std::uint64_t fewest = UINT64_MAX;  // blocks of one that does not fit
    for (std::uint32_t function = 1; function < candidates_.size(); ++function) {
      if (!fits(of_call[function])) fewest = std::min(fewest, candidates_[function].blocks);
    }
    if (fewest == UINT64_MAX) return out;
    for (std::uint32_t id = 1; id < stacks(); ++id) {
      const std::uint32_t inner = functions_.of(id);
      if (!first_[id] || of_call[inner] == 0) continue;
      if (!is_nearly_all(candidates_[inner].blocks, fewest)) continue;
      for (std::uint32_t at = parent(id); at != 0; at = parent(at)) {
        const std::uint32_t outer = functions_.of(at);
        if (out[outer] || fits(of_call[outer])) continue;
        out[outer] = is_nearly_all(candidates_[inner].blocks, candidates_[outer].blocks) &&
                     far_smaller * of_call[inner] <= of_call[outer];
      }
    }
    return out;
  }

  void find_outermost() {
    const std::vector<bool> passed_over = too_large();
    std::vector<bool> inside(stacks());  // of a candidate that is not a trunk
    for (std::uint32_t id = 1; id < stacks(); ++id) {
      const std::uint32_t function = functions_.of(id);
      const bool qualified = qualifies(function) && !passed_over[function];
      if (first_[id] && qualified && !inside[parent(id)]) {
        candidates_[function].outermost += blocks_[id];
      }
      inside[id] = inside[parent(id)] || (qualified && !trunk_[function]);
    }
    blocks_ = std::vector<std::uint64_t>();
  }

  std::vector<arena_scope> scopes_of(bool roots) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t function = 1; function < candidates_.size(); ++function) {
      const candidate& one = candidates_[function];
      const bool called = tracker_.sums()[function].invocations > 0;
      const bool wanted =
          roots ? functions_[function].root && one.qualifies() &&
                      !is_start_of_thread(functions_[function].name)
                : qualifies(function) && 10 * one.outermost >= one.blocks && one.outermost > 0;
      if (called && (wanted || (asked_[function] && one.blocks > 0))) found.push_back(function);
    }
    if (found.empty()) return {};
    std::sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(candidates_[b].bytes, a) < std::tie(candidates_[a].bytes, b);
    });
    std::vector<std::vector<blocks_of_stack>> surviving = survivor_stacks(found);
    std::vector<std::uint32_t> kept_in;
    for (const std::uint32_t function : found) {
      const candidate& one = candidates_[function];
      if (one.survivors > 0 && one.qualifies()) kept_in.push_back(function);
    }
    if (kept_in.size() > scopes_with_keepers) kept_in.resize(scopes_with_keepers);
    const std::vector<std::uint8_t> within = functions_within(kept_in);
    std::vector<std::uint64_t> blocks(stacks());
    std::vector<arena_scope> out;
    std::size_t next = 0;  // of kept_in
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::vector<keeping_function> kept_by;
      if (next < kept_in.size() && kept_in[next] == found[i]) {
        kept_by = keepers(found[i], surviving[i], within, 1u << next++, blocks);
      }
      out.push_back(scope_of(found[i], std::move(surviving[i])));
      out.back().kept_by = std::move(kept_by);
    }
    std::sort(out.begin(), out.end(), [](const arena_scope& a, const arena_scope& b) {
      if (a.trunk != b.trunk) return b.trunk;
      return std::tie(b.total_bytes, a.function) < std::tie(a.total_bytes, b.function);
    });
    if (out.size() > scopes_kept) out.resize(scopes_kept);
    return out;
  }

  // The stacks of the blocks that outlived these functions, by stack for each.
  std::vector<std::vector<blocks_of_stack>> survivor_stacks(
      const std::vector<std::uint32_t>& of) const {
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> place(candidates_.size(), none);
    for (std::uint32_t i = 0; i < of.size(); ++i) place[of[i]] = i;
    std::vector<std::vector<blocks_of_stack>> out(of.size());
    // By stack: its innermost frame that is the first frame of such a function.
    std::vector<std::uint32_t> wanted(stacks());
    for (std::uint32_t id = 1; id < stacks(); ++id) {
      const bool one = first_[id] && place[functions_.of(id)] != none;
      wanted[id] = one ? id : wanted[parent(id)];
    }
    tracker_.for_each_survival([&](const invocation_tracker::survival& one, const block_sum& sum) {
      // Frames further out have smaller numbers.
      const std::uint32_t open = outside(one);
      for (std::uint32_t at = wanted[one.stack]; at > open; at = wanted[parent(at)]) {
        out[place[functions_.of(at)]].push_back({one.stack, sum});
      }
    });
    for (auto& stacks : out) {
      std::sort(stacks.begin(), stacks.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      std::size_t kept = 0;
      for (const blocks_of_stack& one : stacks) {
        if (kept > 0 && stacks[kept - 1].first == one.first) {
          stacks[kept - 1].second.blocks += one.second.blocks;
          stacks[kept - 1].second.bytes += one.second.bytes;
        } else {
          stacks[kept++] = one;
        }
      }
      stacks.resize(kept);
    }
    return out;
  }

  // By stack: a bit for each of these functions that has a frame in it.
  std::vector<std::uint8_t> functions_within(const std::vector<std::uint32_t>& of) const {
    static_assert(scopes_with_keepers <= 8);
    std::vector<std::uint8_t> bit(candidates_.size());
    for (std::size_t i = 0; i < of.size(); ++i) bit[of[i]] = static_cast<std::uint8_t>(1u << i);
    std::vector<std::uint8_t> out(stacks());
    for (std::uint32_t id = 1; id < stacks(); ++id)
      out[id] = out[parent(id)] | bit[functions_.of(id)];
    return out;
  }

  // The outermost functions below the scope most of whose blocks there survive the scope; those of
  // libraries, such as the insertion into a certain map, where the program has none. The
  // scope's stacks have this bit in `within`. `blocks`: zeros, by stack, which they are again
  // afterwards.
  std::vector<keeping_function> keepers(std::uint32_t scope,
                                        const std::vector<blocks_of_stack>& surviving,
                                        const std::vector<std::uint8_t>& within, unsigned bit,
                                        std::vector<std::uint64_t>& blocks) const {
    struct tally {
      std::uint64_t blocks = 0, survivors = 0;
      bool keeps() const {
        return static_cast<double>(survivors) >= kept_share * static_cast<double>(blocks);
      }
    };
    std::unordered_map<std::uint32_t, tally> below;  // by function
    const auto for_each_frame = [&](std::uint32_t stack, const auto& visit) {
      for (std::uint32_t at = stack; at != 0 && functions_.of(at) != scope; at = parent(at)) {
        if (first_[at]) visit(functions_.of(at));
      }
    };
    for (const auto& [stack, sum] : surviving) {
      for_each_frame(stack,
                     [&](std::uint32_t function) { below[function].survivors += sum.blocks; });
    }
    // Adds up those on and below each stack, up to the scope's next call.
    for (std::uint32_t id = stacks(); id-- > 1;) {
      if ((within[id] & bit) == 0) continue;
      const std::uint64_t sum = std::exchange(blocks[id], 0) + loads_.of(id).blocks;
      if (functions_.of(id) == scope) continue;
      blocks[parent(id)] += sum;
      if (!first_[id]) continue;
      const auto found = below.find(functions_.of(id));
      if (found != below.end()) found->second.blocks += sum;
    }
    std::map<std::uint32_t, tally> found;
    for (const auto& [stack, sum] : surviving) {
      std::uint32_t outermost = 0, of_library = 0;
      for_each_frame(stack, [&](std::uint32_t function) {
        if (!below[function].keeps()) return;
        (functions_[function].of_library ? of_library : outermost) = function;
      });
      if (outermost == 0) outermost = of_library;
      if (outermost != 0) found[outermost].survivors += sum.blocks;
    }
    std::vector<keeping_function> out;
    for (const auto& [function, sum] : found) {
      out.push_back({functions_[function].name, below[function].blocks, sum.survivors});
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return std::tie(b.survivors, a.function) < std::tie(a.survivors, b.function);
    });
    if (out.size() > keepers_shown) out.resize(keepers_shown);
    return out;
  }

  arena_scope scope_of(std::uint32_t function, std::vector<blocks_of_stack> stacks) const {
    const candidate& one = candidates_[function];
    const invocation_sum& sum = tracker_.sums()[function];
    arena_scope out;
    out.function = functions_[function].name;
    out.module = functions_[function].module;
    out.trunk = trunk_[function];
    out.root = functions_[function].root;
    out.by_instant = sum.by_instant;
    out.blocks = one.blocks;
    out.total_bytes = one.bytes;
    out.survivors = one.survivors;
    out.survivors_guessed = one.guessed;
    out.dead = one.dead();
    out.dead_share = static_cast<double>(out.dead) /
                     static_cast<double>(std::max<std::uint64_t>(1, one.known()));
    // Most ends are then guessed from nothing being alive: a loop inside looks the same.
    const bool by_instant = 2 * sum.by_instant > sum.invocations;
    out.confidence = guessed_[function] ? "low" : by_instant ? "medium" : "high";
    describe_calls(out, sum, std::move(stacks), trace_, functions_);
    return out;
  }

  const invocation_tracker& tracker_;
  const stack_loads& loads_;
  const trace_reader& trace_;
  const function_table& functions_;
  std::vector<candidate> candidates_;  // by function
  std::vector<std::uint64_t> blocks_;  // temporary; by stack, with those of the stacks below
  std::vector<bool> first_;            // by stack: its function has no frame further out
  std::vector<bool> trunk_;
  std::vector<bool> guessed_;  // some frame's address is unknown
  std::vector<bool> asked_;
  block_sum total_;
};

// The names of a stack's frames, innermost first, without the heap's own.
std::vector<std::string> frame_names(const trace_reader& trace, const function_table& functions,
                                     std::uint32_t stack) {
  constexpr std::size_t most = 16;
  std::vector<std::string> out;
  for (std::uint32_t at = stack; at != 0 && out.size() < most; at = trace.stacks().parent(at)) {
    const std::string& name = functions[functions.of(at)].name;
    if (out.empty() && is_allocation_function(name)) continue;
    out.push_back(name);
  }
  return out;
}

}  // namespace

void describe_calls(arena_scope& out, const invocation_sum& calls,
                    std::vector<blocks_of_stack> survivors, const trace_reader& trace,
                    const function_table& functions) {
  out.threads.assign(calls.threads.begin(), calls.threads.end());
  out.invocations = calls.invocations;
  out.median_bytes = calls.bytes.quantile(0.5);
  out.p99_bytes = calls.bytes.quantile(0.99);
  out.max_bytes = calls.bytes.max();
  out.bytes_counts = calls.bytes.sorted();
  out.max_blocks = calls.most_blocks;
  std::sort(survivors.begin(), survivors.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second.blocks, a.first) < std::tie(a.second.blocks, b.first);
  });
  if (survivors.size() > stacks_shown) survivors.resize(stacks_shown);
  for (const auto& [stack, blocks] : survivors) {
    out.survivor_stacks.push_back(
        {frame_names(trace, functions, stack), blocks.blocks, blocks.bytes, stack});
  }
}

std::vector<arena_scope> find_arena_scopes(const invocation_tracker& tracker,
                                           const stack_loads& loads, const trace_reader& trace,
                                           const function_table& functions,
                                           const std::vector<std::string>& asked_for) {
  return finder(tracker, loads, trace, functions, asked_for).scopes();
}

}  // namespace mallard::profile
