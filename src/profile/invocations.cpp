#include "profile/invocations.hpp"

#include <algorithm>
#include <iterator>

namespace mallard::profile {

invocation_tracker::invocation_tracker(const stack_list& stacks, const function_table& functions)
    : stacks_(stacks),
      functions_(functions),
      paths_(1),
      nodes_(1),
      sums_(functions.functions().size()),
      survivals_(1),
      open_functions_(functions.functions().size()) {
  for (const function& one : functions.functions()) {
    called_once_.push_back(one.root && !is_start_of_thread(one.name));
  }
}

bool invocation_tracker::same_frame(std::uint32_t one, std::uint32_t other) const {
  return functions_.of(one) == functions_.of(other) &&
         stacks_.frame_address(one) == stacks_.frame_address(other);
}

bool invocation_tracker::same_place(std::uint32_t one, std::uint32_t other) const {
  return one == other || (stacks_.place(one) == stacks_.place(other) && same_frame(one, other));
}

// Whether the frame at this level of a path is still that of `stack`, given that the frames outside
// it are unchanged: the same function, or one that it jumped to.
bool invocation_tracker::goes_on(const std::vector<open_frame>& frames, std::size_t level,
                                 std::uint32_t stack) const {
  const open_frame& there = frames[level];
  if (same_frame(there.stack, stack)) return true;
  const std::uint64_t address = stacks_.frame_address(stack);
  return level > 0 && address != 0 && stacks_.frame_address(there.stack) == address &&
         functions_.of(stack) != there.function && functions_.direct(frames[level - 1].stack);
}

void invocation_tracker::arrive(std::uint32_t thread, std::uint32_t stack, bool frees) {
  leave_tail(thread);
  const meeting met = meet(thread, stack);
  path& on = paths_[met.path];
  if (frees && is_tail_call(on, met, stack)) {
    if (!on.uncertain.empty()) settle(on, met.matched + 1);
    while (on.frames.size() > met.matched + 1) close(on, false);
    on.in_tail = true;
    return;
  }
  // The innermost common frame may have moved to another place in its function.
  if (met.taken > 0) on.frames[met.matched - 1].stack = chain_[met.taken - 1];
  if (!on.uncertain.empty()) settle(on, possible_restart(on, met.matched));
  while (on.frames.size() > met.matched) close(on, false);
  if (met.matched > 0 && on.frames[met.matched - 1].turn) follow_turn(on);
  std::size_t from = lifeless_restart(on, met.matched);
  note_places(on, std::min(from, met.matched));
  while (from < met.matched && functions_[on.frames[from].function].root) ++from;
  const bool allocated =
      std::any_of(on.frames.begin() + static_cast<std::ptrdiff_t>(std::min(from, met.matched)),
                  on.frames.end(), [](const open_frame& one) { return one.blocks > 0; });
  if (from < met.matched && allocated) {
    std::vector<std::uint32_t> again;
    for (std::size_t i = from; i < met.matched; ++i) again.push_back(on.frames[i].stack);
    while (on.frames.size() > from) close(on, true);
    for (const std::uint32_t one : again) open(met.path, one);
  }
  const bool joins = begins_late_ && on.frames.empty();
  for (std::size_t i = met.taken; i < chain_.size(); ++i) open(met.path, chain_[i]);
  if (joins) on.joined = on.frames.size();
}

// The innermost open frame's function is called once, and the thread was seen in it.
void invocation_tracker::follow_turn(path& on) {
  open_frame& frame = on.frames.back();
  open_turn& turn = *frame.turn;
  if (is_lifeless(frame) && frame.blocks > turn.blocks) end_turn(frame, on.thread);
  const auto address = [&](std::uint32_t stack) {
    return stacks_.ip_of_place(stacks_.place(stack));
  };
  if (turn.first == 0) turn.first = turn.low = turn.high = frame.stack;
  if (address(frame.stack) < address(turn.low)) turn.low = frame.stack;
  if (address(frame.stack) > address(turn.high)) turn.high = frame.stack;
}

void invocation_tracker::end_turn(open_frame& frame, std::uint32_t thread) {
  constexpr std::size_t most_places = 4096;
  open_turn& turn = *frame.turn;
  const std::pair key(frame.function, stacks_.place(turn.first));
  if (turn.first != 0 && (turns_.size() < most_places || turns_.contains(key))) {
    turn_sum& sum = turns_[key];
    const auto address = [&](std::uint32_t stack) {
      return stacks_.ip_of_place(stacks_.place(stack));
    };
    if (sum.turns == 0) {
      sum.function = frame.function;
      sum.first = turn.first;
      sum.low = turn.low;
      sum.high = turn.high;
    }
    if (address(turn.low) < address(sum.low)) sum.low = turn.low;
    if (address(turn.high) > address(sum.high)) sum.high = turn.high;
    ++sum.turns;
    sum.blocks += frame.blocks - turn.blocks;
    sum.kept += turn.kept;
    sum.bytes.add(frame.bytes - turn.bytes);
    sum.threads.insert(thread);
  }
  turn = {};
  turn.blocks = frame.blocks;
  turn.bytes = frame.bytes;
}

std::vector<turn_sum> invocation_tracker::turns() const {
  std::vector<turn_sum> out;
  for (const auto& [key, sum] : turns_) out.push_back(sum);
  return out;
}

// The whole stack is unchanged, and a function called from its innermost frame was open.
bool invocation_tracker::is_tail_call(const path& on, const meeting& met,
                                      std::uint32_t stack) const {
  return met.matched > 0 && met.taken == chain_.size() && on.frames.size() > met.matched &&
         same_place(on.frames[met.matched - 1].stack, stack);
}

void invocation_tracker::leave_tail(std::uint32_t thread) {
  const auto& mine = of_thread_[thread];
  if (mine.empty()) return;
  path& on = paths_[mine.back()];
  if (!on.in_tail) return;
  on.in_tail = false;
  if (!on.uncertain.empty()) settle(on, on.frames.size() - 1);
  close(on, false);
}

// Finds the thread's path that this stack continues, and how many frames they share. Leaves the
// frames of the stack that it had to inspect in chain_.
invocation_tracker::meeting invocation_tracker::meet(std::uint32_t thread, std::uint32_t stack) {
  auto& mine = of_thread_[thread];
  chain_.clear();
  // Nearly always it is the latest path, and few frames differ.
  if (!mine.empty()) {
    const auto& frames = paths_[mine.back()].frames;
    // A stack's number is larger than its parent's, also on the path, unless frames were added
    // outside it.
    std::size_t depth = frames.size();
    for (std::uint32_t node = stack; node != 0; node = stacks_.parent(node)) {
      while (depth > 0 && frames[depth - 1].stack > node) --depth;
      if (depth > 0 && frames[depth - 1].stack == node) {
        std::reverse(chain_.begin(), chain_.end());
        meeting met{mine.back(), depth, 0};
        if (!chain_.empty() && depth < frames.size() && goes_on(frames, depth, chain_[0])) {
          ++met.matched;
          met.taken = 1;
        }
        return met;
      }
      chain_.push_back(node);
    }
  } else {
    for (std::uint32_t node = stack; node != 0; node = stacks_.parent(node)) chain_.push_back(node);
  }
  std::reverse(chain_.begin(), chain_.end());
  meeting met;
  for (std::size_t i = mine.size(); i-- > 0 && met.path == 0;) {
    const auto& frames = paths_[mine[i]].frames;
    if (same_frame(frames[0].stack, chain_[0])) met = compare(mine[i], 0);
  }
  if (met.path == 0 && functions_.cut(stack)) met = meet_cut(mine);
  if (met.path == 0) {
    // Add outer frames to a path that began with a cut stack.
    for (std::size_t i = mine.size(); i-- > 0 && met.path == 0;) {
      path& on = paths_[mine[i]];
      if (!functions_.cut(on.frames.back().stack)) continue;
      for (std::size_t j = 1; j < chain_.size() && met.path == 0; ++j) {
        if (!same_frame(on.frames[0].stack, chain_[j])) continue;
        prepend(on, j);
        met = compare(mine[i], 0);
      }
    }
  }
  if (met.path == 0) {
    // Both stacks are cut and share nothing: the earlier frames have ended.
    if (functions_.cut(stack) && !mine.empty()) {
      const auto& frames = paths_[mine.back()].frames;
      if (functions_.cut(frames.back().stack)) close_path(mine.back());
    }
    met.path = new_path(thread);
  }
  // Make it the latest.
  auto& order = of_thread_[thread];
  std::rotate(std::find(order.begin(), order.end(), met.path),
              std::find(order.begin(), order.end(), met.path) + 1, order.end());
  return met;
}

// Counts the frames that chain_ and the path share, if chain_ begins at this level of the path.
invocation_tracker::meeting invocation_tracker::compare(std::uint32_t id, std::size_t level) const {
  const auto& frames = paths_[id].frames;
  std::size_t i = 0;
  while (i < chain_.size() && level + i < frames.size() &&
         (i == 0 ? same_frame(frames[level].stack, chain_[0])
                 : goes_on(frames, level + i, chain_[i]))) {
    const bool moved = !same_place(frames[level + i].stack, chain_[i]);
    ++i;
    if (moved) break;
  }
  return {id, level + i, i};
}

// Meets a cut stack. The frames outside its first one are assumed to be open still.
invocation_tracker::meeting invocation_tracker::meet_cut(
    const std::vector<std::uint32_t>& mine) const {
  for (std::size_t i = mine.size(); i-- > 0;) {
    const auto& frames = paths_[mine[i]].frames;
    for (std::size_t level = 0; level < frames.size(); ++level) {
      if (same_frame(frames[level].stack, chain_[0])) return compare(mine[i], level);
    }
  }
  const std::uint64_t address = stacks_.frame_address(chain_[0]);
  if (mine.empty() || address == 0) return {};
  const auto& frames = paths_[mine.back()].frames;
  std::size_t outside = 0;
  while (outside < frames.size() && stacks_.frame_address(frames[outside].stack) > address)
    ++outside;
  if (outside == 0) return {};
  return {mine.back(), outside, 0};
}

std::uint32_t invocation_tracker::new_path(std::uint32_t thread) {
  auto& mine = of_thread_[thread];
  if (mine.size() == most_paths) close_path(mine.front());
  std::uint32_t id = static_cast<std::uint32_t>(paths_.size());
  if (free_paths_.empty()) {
    paths_.emplace_back();
  } else {
    id = free_paths_.back();
    free_paths_.pop_back();
  }
  paths_[id].thread = thread;
  paths_[id].base = first_level;
  mine.push_back(id);
  return id;
}

void invocation_tracker::prepend(path& on, std::size_t missing) {
  std::vector<open_frame> frames;
  for (std::size_t i = 0; i < missing; ++i) frames.push_back(frame_at(chain_[i]));
  count_functions(0);
  on.frames.insert(on.frames.begin(), std::make_move_iterator(frames.begin()),
                   std::make_move_iterator(frames.end()));
  on.base -= static_cast<std::uint32_t>(missing);
  if (on.joined != 0) on.joined += missing;
  for (std::size_t i = 0; i < on.frames.size(); ++i) {
    on.frames[i].recursive =
        std::any_of(on.frames.begin(), on.frames.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const open_frame& one) { return one.function == on.frames[i].function; });
  }
}

// Whether the thread is, in this frame, at or before the place where it was first seen.
bool invocation_tracker::may_be_first(const open_frame& one) const {
  const std::uint32_t place = stacks_.place(one.stack);
  return (place == one.first_place ||
          stacks_.ip_of_place(place) <= stacks_.ip_of_place(one.first_place)) &&
         functions_.of(one.stack) == one.function;
}

// Returns: the outermost frame that may have ended and begun again: it and all unchanged frames
// inside it are at or before the places where they were first seen.
std::size_t invocation_tracker::possible_restart(const path& on, std::size_t matched) const {
  std::size_t from = matched;
  while (from > 0 && may_be_first(on.frames[from - 1])) --from;
  return from;
}

// Returns: the outermost such frame below which nothing lives. Frames from there on are taken to
// have begun again.
std::size_t invocation_tracker::lifeless_restart(const path& on, std::size_t matched) const {
  std::size_t from = matched;
  while (from > 0 && is_lifeless(on.frames[from - 1]) && may_have_begun_again(on, from - 1)) --from;
  return from;
}

bool invocation_tracker::is_lifeless(const open_frame& one) const {
  return one.node == 0 || nodes_[one.node].live == 0;
}

// Precondition: the frame is lifeless.
bool invocation_tracker::may_have_begun_again(const path& on, std::size_t frame) const {
  const open_frame& one = on.frames[frame];
  if (frame >= on.joined) return may_be_first(one);
  const auto level = on.base + static_cast<std::uint32_t>(frame);
  return on.came_to.contains({level, stacks_.place(one.stack)});
}

// The first `matched` frames go on. Keeps where the thread came to in those below which nothing
// lives, as far as their first place is not known.
void invocation_tracker::note_places(path& on, std::size_t matched) {
  for (std::size_t i = matched; i > 0 && is_lifeless(on.frames[i - 1]); --i) {
    const open_frame& one = on.frames[i - 1];
    if (i > on.joined || functions_[one.function].root) continue;
    on.came_to.emplace(on.base + static_cast<std::uint32_t>(i - 1), stacks_.place(one.stack));
  }
}

// The first `certain` frames are known to have been open all the time.
void invocation_tracker::settle(path& on, std::size_t certain) {
  const std::uint32_t open_levels = on.base + static_cast<std::uint32_t>(certain);
  for (const auto& [born, sum] : on.uncertain) {
    const std::uint32_t open = std::min(born.open_levels, certain == 0 ? 0 : open_levels);
    if (open < born.levels) {
      survive(born.stack, open == 0 ? all_frames : born.levels - open, sum.blocks, sum.bytes);
    }
    if (open < born.open_levels) {
      std::uint32_t at = born.stack;
      for (std::uint32_t i = born.open_levels; i < born.levels; ++i) at = stacks_.parent(at);
      guesses_[{at, open == 0 ? all_frames : born.open_levels - open}] += sum.blocks;
    }
  }
  on.uncertain.clear();
}

invocation_tracker::open_frame invocation_tracker::frame_at(std::uint32_t stack) const {
  open_frame out;
  out.stack = stack;
  out.function = functions_.of(stack);
  out.first_place = stacks_.place(stack);
  if (called_once_[out.function]) out.turn = std::make_unique<open_turn>();
  return out;
}

void invocation_tracker::open(std::uint32_t id, std::uint32_t stack) {
  count_functions(id);
  open_frame& one = paths_[id].frames.emplace_back(frame_at(stack));
  one.recursive = open_functions_[one.function]++ != 0;
}

// Effects: counts how many frames of each function are open on this path (0: on none).
void invocation_tracker::count_functions(std::uint32_t id) {
  if (id == counted_path_) return;
  for (const open_frame& one : paths_[counted_path_].frames) --open_functions_[one.function];
  for (const open_frame& one : paths_[id].frames) ++open_functions_[one.function];
  counted_path_ = id;
}

void invocation_tracker::close(path& on, bool by_instant) {
  const open_frame& ended = on.frames.back();
  if (counted_path_ != 0 && &paths_[counted_path_] == &on) --open_functions_[ended.function];
  if (ended.blocks > 0 && !ended.recursive) {
    invocation_sum& sum = sums_[ended.function];
    ++sum.invocations;
    sum.by_instant += by_instant;
    sum.bytes.add(ended.bytes);
    sum.most_blocks = std::max(sum.most_blocks, ended.blocks);
    sum.threads.insert(on.thread);
  }
  open_frame* const outside = on.frames.size() > 1 ? &on.frames[on.frames.size() - 2] : nullptr;
  if (outside) {
    outside->blocks += ended.blocks;
    outside->bytes += ended.bytes;
  }
  if (ended.node != 0) leave_node(ended.node, outside);
  on.frames.pop_back();
  on.joined = std::min(on.joined, on.frames.size());
}

// The frame of the node ends.
void invocation_tracker::leave_node(std::uint32_t id, open_frame* outside) {
  live_node& node = nodes_[id];
  if (node.live == 0 && node.kept == 0) {
    node.path = 0;
    node.references = 1;  // and goes with it
    unreference(id);
  } else if (!outside) {
    node.path = 0;
  } else if (outside->node == 0) {
    outside->node = id;
    --node.level;
  } else {
    node.path = 0;
    node.parent = outside->node;
    nodes_[outside->node].live += node.live;
    nodes_[outside->node].kept += node.kept;
    ++nodes_[outside->node].references;
  }
}

void invocation_tracker::close_path(std::uint32_t id) {
  path& on = paths_[id];
  settle(on, 0);
  while (!on.frames.empty()) close(on, false);
  on.in_tail = false;
  on.came_to.clear();
  auto& mine = of_thread_[on.thread];
  mine.erase(std::find(mine.begin(), mine.end(), id));
  free_paths_.push_back(id);
}

std::uint32_t invocation_tracker::new_node() {
  if (free_nodes_.empty()) {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t id = free_nodes_.back();
  free_nodes_.pop_back();
  nodes_[id] = {};
  return id;
}

void invocation_tracker::unreference(std::uint32_t id) {
  while (id != 0 && --nodes_[id].references == 0 && nodes_[id].path == 0) {
    free_nodes_.push_back(id);
    id = nodes_[id].parent;
  }
}

// A tree that a recursion built hangs in as many nodes as it was deep, so each node on the way is
// hung one further up (path halving).
std::uint32_t invocation_tracker::top_node(std::uint32_t node) {
  while (nodes_[node].parent != 0) {
    const std::uint32_t below = nodes_[node].parent;
    const std::uint32_t above = nodes_[below].parent;
    if (above == 0) return below;
    nodes_[node].parent = above;
    ++nodes_[above].references;
    unreference(below);
    node = above;
  }
  return node;
}

birthmark invocation_tracker::birth(std::uint32_t thread, std::uint32_t stack, std::uint64_t bytes,
                                    bool kept) {
  leave_tail(thread);
  const std::uint32_t id = of_thread_[thread].back();
  path& on = paths_[id];
  open_frame& frame = on.frames.back();
  ++frame.blocks;
  frame.bytes += bytes;
  const auto levels = on.base + static_cast<std::uint32_t>(on.frames.size());
  if (frame.node == 0) {
    frame.node = new_node();
    nodes_[frame.node].path = id;
    nodes_[frame.node].level = levels - 1;
  }
  ++(kept ? nodes_[frame.node].kept : nodes_[frame.node].live);
  for (std::size_t i = 0; kept && i < on.frames.size(); ++i) {
    if (on.frames[i].turn) ++on.frames[i].turn->kept;
  }
  ++nodes_[frame.node].references;
  return {frame.node, stack, levels & 0x7fff'ffff, kept};
}

void invocation_tracker::death(const birthmark& born, std::uint64_t bytes, std::uint32_t thread,
                               std::uint32_t stack) {
  const std::uint32_t top = top_node(born.node);
  const live_node node = nodes_[top];
  --(born.kept != 0 ? nodes_[top].kept : nodes_[top].live);
  unreference(born.node);
  if (node.path == 0) {
    survive(born.stack, all_frames, 1, bytes);
    return;
  }
  const std::uint32_t open_levels = node.level + 1;
  path& on = paths_[node.path];
  // That all are dead at times is chance where another thread frees them.
  for (std::size_t i = 0; on.thread != thread && i < on.frames.size(); ++i) {
    if (on.frames[i].turn) ++on.frames[i].turn->kept;
  }
  if (stack != 0 && on.thread == thread && of_thread_[thread].back() == node.path) {
    if (open_levels < born.levels) survive(born.stack, born.levels - open_levels, 1, bytes);
    return;
  }
  block_sum& sum = on.uncertain[{born.stack, born.levels, open_levels}];
  ++sum.blocks;
  sum.bytes += bytes;
}

void invocation_tracker::never(const birthmark& born, std::uint64_t bytes) {
  const live_node& node = nodes_[top_node(born.node)];
  if (node.path == 0) {
    survive(born.stack, all_frames, 1, bytes);
    return;
  }
  const std::uint32_t levels = born.levels;
  const std::uint32_t ended = levels - std::min(levels, node.level + 1);
  if (ended != 0) survive(born.stack, ended, 1, bytes);
  if (left_open_.empty()) left_open_.resize(stacks_.size());
  std::uint32_t open = born.stack;
  for (std::uint32_t i = 0; i < ended && open != 0; ++i) open = stacks_.parent(open);
  ++left_open_[open];
}

void invocation_tracker::thread_ended(std::uint32_t thread) {
  const auto& mine = of_thread_[thread];
  while (!mine.empty()) close_path(mine.back());
}

void invocation_tracker::finish() {
  for (auto& [thread, mine] : of_thread_) {
    while (!mine.empty()) close_path(mine.back());
  }
}

void invocation_tracker::survive(std::uint32_t stack, std::uint32_t ended, std::uint64_t blocks,
                                 std::uint64_t bytes) {
  const survival what{stack, std::min(ended, all_frames)};
  const auto hash = [](const survival& of) {
    return hash_of_number(std::uint64_t{of.stack} << 16 | of.ended);
  };
  const auto next = static_cast<std::uint32_t>(survivals_.size());
  const std::uint32_t at = survival_index_.find_or_add(
      hash(what), next, [&](std::uint32_t known) { return survivals_[known].what == what; });
  if (at == next) {
    survivals_.push_back({what, {}});
    if (survival_index_.is_full(survivals_.size())) {
      survival_index_.refill(survivals_.size(),
                             [&](std::uint32_t known) { return hash(survivals_[known].what); });
    }
  }
  survivals_[at].sum.blocks += blocks;
  survivals_[at].sum.bytes += bytes;
}

}  // namespace mallard::profile
