#include "profile/trace/event_model.hpp"

namespace mallard::profile::codec {
namespace {

// Longest walk of a list past blocks that have left it.
constexpr int most_steps = 32;

}  // namespace

event_model::block_index event_model::find(std::uint64_t address) {
  const block_index index = index_[address];
  return blocks_[index].address == address ? index : 0;
}

event_model::block_index event_model::valid_freed(block_index from) {
  for (int steps = 0; from != 0 && steps < most_steps; ++steps) {
    const block& one = blocks_[from];
    if (!one.live && index_[one.address] == from) return from;
    from = one.freed_before;
  }
  return 0;
}

event_model::block_index event_model::likely_freed(std::uint32_t stack) {
  block_index& newest = sites_[sites_[stack].frees_of].newest;
  for (int steps = 0; newest != 0 && steps < most_steps; ++steps) {
    if (blocks_[newest].live) return newest;
    newest = blocks_[newest].stack_before;
  }
  return 0;
}

void event_model::allocated(std::uint64_t address, std::uint64_t size, std::uint32_t stack) {
  block_index& index = index_[address];
  if (index != 0 && blocks_[index].address == address) {
    // Off its list, if it is the first there, as it nearly always is.
    block& old = blocks_[index];
    block_index& head = freed_[size_class(old.size)];
    if (head == index) head = old.freed_before;
    old.live = false;
  }
  site& by = sites_[stack];
  index = blocks();
  blocks_.push_back({address, size, stack, by.newest, 0, true});
  by.newest = index;
  last_address_ = address;
  behind_last_ = address + 16 * size_class(size);
}

void event_model::freed(std::uint64_t address, std::uint32_t stack) {
  block_index& slot = index_[address];
  site& by = sites_[stack];
  if (slot == 0 || blocks_[slot].address != address || !blocks_[slot].live) {
    // From before the chunk. Its size is likely that of others which this stack freed.
    slot = blocks();
    blocks_.push_back({address, by.freed_size, 0, 0, 0, true});
  } else {
    by.frees_of = blocks_[slot].stack;
    by.freed_size = blocks_[slot].size;
  }
  block& one = blocks_[slot];
  one.live = false;
  block_index& head = freed_[size_class(one.size)];
  one.freed_before = head;
  head = slot;
  last_freed_ = slot;
  last_freed_address_ = address;
}

void event_model::saw(const event& one) {
  after_two_[pair()] = one.stack;
  after_one_[last_stack_] = one.stack;
  stack_before_ = last_stack_;
  last_stack_ = one.stack;
  if (one.stack > highest_stack_) highest_stack_ = one.stack;
  if (one.kind == event_kind::allocate || one.kind == event_kind::reallocate) {
    site& by = sites_[one.stack];
    if (by.size != one.size) {
      by.size_before = by.size;
      by.size = one.size;
    }
  }
  if (!in_heap(one)) {
    last_address_ = one.address;
  } else {
    if (one.kind == event_kind::free) freed(one.address, one.stack);
    if (one.kind == event_kind::reallocate && one.old_address != 0)
      freed(one.old_address, one.stack);
    if (one.kind != event_kind::free) allocated(one.address, one.size, one.stack);
  }
  after_two_.settle();
  after_one_.settle();
  sites_.settle();
  index_.settle();
  freed_.settle();
}

void event_model::clear() {
  after_two_.clear();
  after_one_.clear();
  sites_.clear();
  index_.clear();
  freed_.clear();
  blocks_.resize(1);
  last_stack_ = stack_before_ = highest_stack_ = 0;
  last_freed_ = 0;
  behind_last_ = last_address_ = last_freed_address_ = 0;
}

std::unique_ptr<event_model> model_pool::take(std::size_t events) {
  constexpr std::size_t many = 8192;
  if (events < many || spare_.empty()) return std::make_unique<event_model>();
  std::unique_ptr<event_model> out = std::move(spare_.back());
  spare_.pop_back();
  out->clear();
  return out;
}

void model_pool::give_back(std::unique_ptr<event_model> used) {
  if (used && used->is_large() && spare_.size() < most) spare_.push_back(std::move(used));
}

}  // namespace mallard::profile::codec
