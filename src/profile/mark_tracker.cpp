#include "profile/mark_tracker.hpp"

namespace mallard::profile {

void mark_tracker::enter(std::uint32_t thread, std::uint64_t name) {
  std::uint32_t& innermost = innermost_[thread];
  std::uint32_t id = static_cast<std::uint32_t>(nodes_.size());
  if (free_.empty()) {
    nodes_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  node& one = nodes_[id];
  one = {};
  one.parent = innermost;
  one.references = 1;
  one.name = name;
  one.open = true;
  for (std::uint32_t at = innermost; at != 0; at = nodes_[at].parent) {
    one.recursive |= nodes_[at].name == name;
  }
  if (innermost != 0) ++nodes_[innermost].references;
  innermost = id;
}

void mark_tracker::leave(std::uint32_t thread, std::uint64_t name) {
  std::uint32_t wanted = innermost_[thread];
  while (wanted != 0 && nodes_[wanted].name != name) wanted = nodes_[wanted].parent;
  if (wanted == 0) return;  // it was entered before the recording began
  const std::uint32_t outside = nodes_[wanted].parent;
  while (innermost_[thread] != outside) leave_innermost(thread);
}

void mark_tracker::leave_innermost(std::uint32_t thread) {
  std::uint32_t& innermost = innermost_[thread];
  const std::uint32_t id = innermost;
  node& one = nodes_[id];
  innermost = one.parent;
  one.open = false;
  if (innermost != 0) {
    nodes_[innermost].blocks += one.blocks;
    nodes_[innermost].bytes += one.bytes;
  }
  if (!one.recursive) {
    mark_sum& sum = sums_[one.name];
    ++sum.invocations.invocations;
    sum.invocations.bytes.add(one.bytes);
    sum.invocations.most_blocks = std::max(sum.invocations.most_blocks, one.blocks);
    sum.invocations.threads.insert(thread);
    sum.born.blocks += one.blocks;
    sum.born.bytes += one.bytes;
  }
  unreference(id);
}

void mark_tracker::unreference(std::uint32_t id) {
  while (id != 0 && --nodes_[id].references == 0) {
    free_.push_back(id);
    id = nodes_[id].parent;
  }
}

std::uint32_t mark_tracker::birth(std::uint32_t thread, std::uint64_t bytes) {
  const std::uint32_t innermost = innermost_[thread];
  if (innermost == 0) return 0;
  node& one = nodes_[innermost];
  ++one.references;
  ++one.blocks;
  one.bytes += bytes;
  return innermost;
}

void mark_tracker::death(std::uint32_t mark, std::uint32_t stack, std::uint64_t bytes) {
  never(mark, stack, bytes);
  unreference(mark);
}

void mark_tracker::never(std::uint32_t mark, std::uint32_t stack, std::uint64_t bytes) {
  for (std::uint32_t at = mark; at != 0 && !nodes_[at].open; at = nodes_[at].parent) {
    if (nodes_[at].recursive) continue;
    block_sum& sum = sums_[nodes_[at].name].survivors[stack];
    ++sum.blocks;
    sum.bytes += bytes;
  }
}

void mark_tracker::finish() {
  for (auto& [thread, innermost] : innermost_) {
    while (innermost != 0) leave_innermost(thread);
  }
}

}  // namespace mallard::profile
