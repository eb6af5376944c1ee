#include "preload/stack_walk.hpp"

#include "preload/node_table.hpp"
#include "unwind/frame_step.hpp"

namespace mallard::preload {
namespace {

using address = unwind::frame_rule::address;

}  // namespace

void stack_walk::open(unwind::rule_cache& rules, bool by_frame_pointers,
                      std::uint32_t checked) noexcept {
  rules_ = &rules;
  by_frame_pointers_ = by_frame_pointers;
  checked_ = checked;
  count_ = 0;
  readable_ = {};
}

void stack_walk::walk(unwind::frame_state at, bool exact, bool long_ago) noexcept {
  readable_.enter(at.sp);
  keep_ = true;
  fresh_count_ = 0;
  std::size_t known = count_;
  for (;;) {
    unwind::frame_rule rule =
        by_frame_pointers_ ? unwind::frame_pointer_rule : rules_->find(exact ? at.ip : at.ip - 1);
    exact = false;
    if (rule.how == address::not_described) rule = unwind::frame_pointer_rule;
    const unwind::frame_end end = unwind::end_of_frame(at, rule, readable_);
    const bool found = end.address != 0;
    const std::uint64_t frame_address = found ? end.address : at.sp;
    // The stack alone would not show whether it is another frame.
    if (end.is_by_register) keep_ = false;

    while (known != 0 && frames_[known - 1].frame_address < frame_address) --known;
    if (known != 0) {
      const known_frame& same = frames_[known - 1];
      if (same.frame_address == frame_address && same.ip == at.ip &&
          (!stacks_[known - 1].needs_bp || same.bp == at.bp) && still_there(known, long_ago)) {
        if (known + fresh_count_ > most_frames) return cut();
        count_ = known;
        return;
      }
    }
    if (fresh_count_ == most_frames) return cut();
    fresh_frame& fresh = fresh_[fresh_count_++];
    fresh = {at.ip, frame_address, at.bp, 0, rule.how != address::of_sp};
    if (found) {
      fresh.bp_place = unwind::saved_bp_place(at, rule, end, readable_);
      at = unwind::caller_of(at, end, fresh.bp_place, readable_);
      if (at.ip != 0) continue;
    }
    if (rule.how == address::signal && unwind::go_to_interrupted(at, readable_)) {
      fresh.frame_address = at.sp;
      exact = true;  // this address is no return address
      keep_ = false;
      known = 0;
      continue;
    }
    count_ = 0;
    return;
  }
}

void stack_walk::keep_fresh() noexcept {
  bool needs_bp = count_ != 0 && stacks_[count_ - 1].needs_bp;
  std::uint64_t key = count_ != 0 ? stacks_[count_ - 1].key : 0;
  while (fresh_count_ != 0) {
    const fresh_frame& from = fresh_[--fresh_count_];
    key = node_table::key_of(key, from.ip, from.frame_address);
    frames_[count_] = {from.ip, from.frame_address, from.bp, needs_bp ? from.bp_place : 0};
    needs_bp = from.uses_bp || (from.bp_place == 0 && needs_bp);
    stacks_[count_++] = {key, 0, needs_bp};
  }
}

bool stack_walk::still_there(std::size_t& count, bool long_ago) noexcept {
  const std::size_t to = long_ago || count <= checked_ ? 0 : count - checked_;
  if (!readable_.has(frames_[to].frame_address - 8)) {
    count = 0;
    return false;
  }
  for (std::size_t i = count - 1; i > to; --i) {
    const known_frame& inner = frames_[i];
    const known_frame& outer = frames_[i - 1];
    if (unwind::return_address_below(inner.frame_address, readable_) != outer.ip ||
        (inner.bp_place != 0 && readable_.load(inner.bp_place) != outer.bp)) [[unlikely]] {
      count = i;
      return false;
    }
  }
  return true;
}

void stack_walk::cut() noexcept {
  if (fresh_count_ > frames_of_cut) fresh_count_ = frames_of_cut;
  count_ = 0;
}

}  // namespace mallard::preload
