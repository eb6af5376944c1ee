#include "profile/budget/call_counter.hpp"

#include <algorithm>

#include "profile/function_names.hpp"

namespace mallard::profile {

call_counter::call_counter(const trace_reader& trace, const function_table& functions,
                           const stack_loads& loads, const std::vector<bool>& asked_for)
    : trace_(trace),
      functions_(functions),
      graph_(trace, functions, loads),
      asked_for_(asked_for),
      any_(std::find(asked_for.begin(), asked_for.end(), true) != asked_for.end()),
      found_(asked_for.size()) {}

// Whether outermost frames are missing. A named function that begins neither the program nor a
// thread has a caller, which code without an unwinding table hides.
bool call_counter::is_broken_at(std::uint32_t outermost) const {
  const function& one = functions_[outermost];
  return outermost != 0 && !one.root && !is_nameless(one.name);
}

// If a function that is asked for ends by a jump to another, that one's frame has taken its place.
const call_counter::frames_of& call_counter::frames_on(std::uint32_t stack) {
  const auto [at, fresh] = frames_.try_emplace(stack);
  frames_of& out = at->second;
  if (!fresh) return out;
  const auto add = [&](std::uint32_t function, std::uint32_t frame) {
    if (function == 0 || !asked_for_[function]) return;
    std::erase_if(out.asked_for, [&](const frame_of& one) { return one.function == function; });
    out.asked_for.push_back({function, frame});
  };
  for (std::uint32_t frame = stack; frame != 0; frame = trace_.stacks().parent(frame)) {
    const std::uint32_t caller = trace_.stacks().parent(frame);
    const std::uint32_t function = functions_.of(frame);
    add(function, frame);
    if (asked_for_[function] && graph_.may_vanish(frame, caller)) vanishes_.insert(function);
    if (caller != 0) add(graph_.called_from(caller), frame);
    out.outermost = trace_.stacks().frame_address(frame);
    if (caller == 0) out.cut = functions_.cut(stack) || is_broken_at(function);
  }
  return out;
}

void call_counter::operation(const recorded& one) {
  const std::uint32_t stack = one.what.stack;
  if (stack == 0 || !any_) return;
  const frames_of& now = frames_on(stack);
  cut_ = cut_ || now.cut;
  std::vector<open_call>& open = open_[{one.thread, now.outermost}];
  std::erase_if(open, [&](open_call& before) {
    const bool over =
        std::none_of(now.asked_for.begin(), now.asked_for.end(),
                     [&](const frame_of& frame) { return frame.function == before.at.function; });
    if (over) close(before, true);
    return over;
  });
  for (const frame_of& frame : now.asked_for) {
    const auto before = std::find_if(open.begin(), open.end(), [&](const open_call& call) {
      return call.at.function == frame.function;
    });
    if (before == open.end()) {
      open.push_back({frame, stack, {}, {}});
      continue;
    }
    const relation is = compare(*before, frame, stack);
    if (is != relation::same_call) close(*before, is == relation::new_call);
    before->at = frame;
    before->stack = stack;
  }
}

void call_counter::born(const recorded& one, const live_block& block) {
  if (block.stack == 0 || !any_) return;
  for (open_call& call : open_[{one.thread, frames_on(block.stack).outermost}]) {
    for (amount* const sum : {&call.certain, &call.possible}) {
      ++sum->blocks;
      sum->bytes += block.bytes;
    }
  }
}

void call_counter::end() {
  for (auto& [path, calls] : open_) {
    for (open_call& one : calls) close(one, true);
  }
  open_.clear();
  // A stack without its outermost frames does not show which call it belongs to.
  for (std::uint32_t function = 0; function < found_.size(); ++function) {
    calls_found& one = found_[function];
    if (cut_ || vanishes_.contains(function)) one.blocks.most = one.bytes.most = UINT64_MAX;
  }
}

void call_counter::close(open_call& one, bool for_certain) {
  calls_found& sum = found_[one.at.function];
  sum.any = sum.any || one.certain.blocks > 0;
  sum.blocks.least = std::max(sum.blocks.least, one.possible.blocks);
  sum.bytes.least = std::max(sum.bytes.least, one.possible.bytes);
  one.possible = {};
  if (!for_certain) return;
  sum.blocks.most = std::max(sum.blocks.most, one.certain.blocks);
  sum.bytes.most = std::max(sum.bytes.most, one.certain.bytes);
  one.certain = {};
}

call_counter::relation call_counter::compare(const open_call& before, const frame_of& now,
                                             std::uint32_t stack) {
  const stack_list& stacks = trace_.stacks();
  if (stacks.parent(before.at.frame) != stacks.parent(now.frame) ||
      stacks.frame_address(before.at.frame) != stacks.frame_address(now.frame)) {
    return relation::new_call;
  }
  const std::pair key(std::uint64_t{before.at.frame} << 32 | before.stack,
                      std::uint64_t{now.frame} << 32 | stack);
  const auto [at, fresh] = known_.try_emplace(key);
  if (fresh) at->second = tell_apart(before.at.frame, before.stack, now.frame, stack);
  return at->second;
}

call_counter::relation call_counter::tell_apart(std::uint32_t old_frame, std::uint32_t old_stack,
                                                std::uint32_t frame, std::uint32_t stack) {
  const std::vector<std::uint32_t> old = inwards(old_frame, old_stack);
  const std::vector<std::uint32_t> now = inwards(frame, stack);
  // A function that ends by calling another, as free, jumps to it: the operation then stands at the
  // place where the function was called, whose call goes on.
  const bool has_jumped =
      now.size() < old.size() && std::equal(now.begin(), now.end(), old.begin());
  const bool goes_on = has_jumped || may_go_on(old, now);
  const bool begins =
      !(has_jumped && graph_.call_allocates(now.back())) && may_begin_anew(old, now);
  if (goes_on == begins) return relation::unclear;
  return begins ? relation::new_call : relation::same_call;
}

// Returns: the stacks from this frame to the innermost.
std::vector<std::uint32_t> call_counter::inwards(std::uint32_t frame, std::uint32_t stack) const {
  std::vector<std::uint32_t> out{stack};
  while (out.back() != frame) out.push_back(trace_.stacks().parent(out.back()));
  std::reverse(out.begin(), out.end());
  return out;
}

// Whether the call may go on: a common frame loops back to its place, or the first frame that
// differs goes on from the old place to the new one.
bool call_counter::may_go_on(const std::vector<std::uint32_t>& old,
                             const std::vector<std::uint32_t>& now) {
  const std::size_t depth = std::min(old.size(), now.size());
  for (std::size_t i = 0; i < depth; ++i) {
    if (old[i] != now[i]) {
      const bool in_place =
          trace_.stacks().frame_address(old[i]) == trace_.stacks().frame_address(now[i]);
      // Another function in the same place: by a jump.
      return in_place && (functions_.of(old[i]) != functions_.of(now[i]) ||
                          graph_.is_in_parts(now[i]) || graph_.reaches(old[i], now[i]));
    }
    if (graph_.reaches(old[i], now[i]) || graph_.is_in_parts(now[i])) return true;
  }
  return false;
}

// Whether another call may have begun: all frames open before have returned, a frame outside has
// looped, and all frames open now were entered anew.
bool call_counter::may_begin_anew(const std::vector<std::uint32_t>& old,
                                  const std::vector<std::uint32_t>& now) {
  // A throw may leave a function anywhere, also a rethrow of an exception from long ago.
  const auto leaves = [&](std::uint32_t one) {
    return graph_.has_throws() || graph_.can_leave(one);
  };
  const auto enters = [&](std::uint32_t one) { return graph_.can_enter(one); };
  // The caller of a context's function (makecontext) is known only from its start.
  const auto is_root = [&](std::uint32_t one) {
    const std::uint32_t caller = trace_.stacks().parent(one);
    return functions_[functions_.of(one)].root && (caller == 0 || !graph_.reaches(caller, caller));
  };
  if (is_root(now.front()) || !std::all_of(old.begin(), old.end(), leaves) ||
      !std::all_of(now.begin(), now.end(), enters)) {
    return false;
  }
  for (std::uint32_t outside = trace_.stacks().parent(now.front()); outside != 0;
       outside = trace_.stacks().parent(outside)) {
    if (graph_.reaches(outside, outside)) return true;
    if (is_root(outside) || !leaves(outside) || !enters(outside)) return false;
  }
  return false;
}

}  // namespace mallard::profile
