#include "replay/program_builder.hpp"

#include <algorithm>
#include <bit>

#include "profile/trace/lacks.hpp"

namespace mallard::replay {
namespace {

using profile::event;
using profile::event_kind;
using profile::recorded;

// An epoch with fewer bytes is not worth ending.
constexpr std::uint64_t least_epoch_bytes = 16384;
constexpr std::uint64_t least_walk = 16;
constexpr unsigned usual_alignment_log2 = 4;  // malloc's

// A type's size is a multiple of its alignment, so this assumes the largest alignment that the size
// allows, up to malloc's. An explicitly requested alignment counts if it is more than malloc's.
std::uint8_t alignment_log2(const event& what) {
  if (what.alignment_log2 > usual_alignment_log2) return what.alignment_log2;
  if (what.size == 0) return 0;
  return static_cast<std::uint8_t>(
      std::min<unsigned>(static_cast<unsigned>(std::countr_zero(what.size)), usual_alignment_log2));
}

std::uint64_t in_chunk(std::uint64_t bytes) {
  return (bytes + 15) / 16 * 16;
}

// By entry point: whether `is` is true of its name.
template <class Is>
std::vector<bool> functions_that(const profile::trace_facts& facts, Is is) {
  std::vector<bool> found(256);
  for (const auto& [key, name] : facts.names) {
    if (key.first == profile::name_kind::function && key.second < 256) found[key.second] = is(name);
  }
  return found;
}

bool zeroes(const std::string& name) {
  return name == "calloc" || name == "__libc_calloc";
}

// Whether it is an operator new with the usual alignment, throwing or not.
bool is_new(const std::string& name) {
  return name.starts_with("operator new") && name.find("align_val_t") == name.npos;
}

}  // namespace

program_builder::program_builder(profile::trace_reader& trace,
                                 const profile::function_table& functions,
                                 const trace_survey& survey, const decode_options& options,
                                 ownership own, std::optional<std::uint32_t> scope,
                                 const std::vector<bool>& kept_blocks)
    : trace_(trace),
      survey_(survey),
      options_(options),
      own_(std::move(own)),
      open_scopes_(survey.lane_of_thread.size()),
      scope_(scope),
      kept_blocks_(kept_blocks),
      zeroing_(functions_that(trace.facts(), zeroes)),
      new_(functions_that(trace.facts(), is_new)),
      blocks_(trace),
      gaps_(survey.allocation_ns, survey.free_ns),
      lanes_(survey.lanes) {
  made_.lanes.resize(survey.lanes);
  made_.sample_sizes = survey.sample_sizes;
  made_.facts.peak_blocks = survey.peak_blocks;
  made_.facts.peak_bytes = survey.peak_bytes;
  made_.facts.by_scope = scope.has_value();
  if (!scope) return;
  tracker_.emplace(trace.stacks(), functions);
  if (profile::lacks(trace.facts().process, profile::the_start)) tracker_->begin_late();
  for (const auto& [id, thread] : trace.facts().threads) {
    if (thread.ended != UINT64_MAX) thread_ends_.emplace(thread.ended, id);
  }
}

program program_builder::build() {
  blocks_.run(trace_.events(), *this);
  if (tracker_) tracker_->finish();
  program_facts& facts = made_.facts;
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (tracker_ || lanes_[lane].live == 0) end_epoch(lane);
    facts.own_lanes += lanes_[lane].own;
    facts.own_left += lanes_[lane].live;
  }
  if (facts.epochs == 0) facts.largest_epoch_bytes = facts.own_bytes;
  facts.slots = slots_;
  facts.operations = facts.allocations + facts.frees + facts.reallocations;
  return std::move(made_);
}

void program_builder::next(const recorded& one) {
  while (!thread_ends_.empty() && thread_ends_.begin()->first < one.what.time) {
    const std::uint32_t ended = thread_ends_.begin()->second;
    thread_ends_.erase(thread_ends_.begin());
    tracker_->thread_ended(ended);
    if (ended < survey_.lane_of_thread.size()) look_for_end(survey_.lane_of_thread[ended]);
  }
}

// The thread was seen with a stack, so functions that are not on it have ended.
void program_builder::operation(const recorded& one) {
  if (!tracker_ || one.what.stack == 0) return;
  tracker_->arrive(one.thread, one.what.stack, one.what.kind != event_kind::allocate);
  look_for_end(lane_of(one));
}

void program_builder::died(const recorded& one, built_block& old, const profile::block_end& how) {
  switch (how.why) {
    case profile::block_end::cause::freed:
      freed(one, old);
      break;
    case profile::block_end::cause::reallocated:
      if (one.what.address == 0) {
        freed(one, old);
      } else {
        reallocated_ = old;
      }
      break;
    case profile::block_end::cause::not_recorded:
      if (old.own && tracker_) tracker_->never(old.born_at, old.bytes);
      die(old);
      break;
  }
}

void program_builder::born(const recorded& one, built_block& fresh) {
  if (!reallocated_) return allocated(one, fresh);
  reallocated(one, *reallocated_, fresh);
  reallocated_.reset();
}

// Only the thread just seen can have left the function.
void program_builder::look_for_end(std::uint32_t lane) {
  const std::uint64_t invocations = tracker_->sums()[*scope_].invocations;
  if (invocations != invocations_) end_epoch(lane);
  invocations_ = invocations;
}

void program_builder::put(const recorded& one, replay::operation what) {
  if (options_.think != think_time::none) {
    const double scaled = gaps_.before(one) * survey_.think_scale;
    what.think = static_cast<std::uint32_t>(scaled);
    made_.facts.think_ns += what.think;
  }
  operations(lane_of(one)).push_back(what);
}

void program_builder::scope(const recorded& one) {
  if (!own_.by_scope) return;
  if (one.thread >= open_scopes_.size()) open_scopes_.resize(one.thread + 1u);
  auto& open = open_scopes_[one.thread];
  if (one.what.kind == event_kind::scope_enter) {
    open.push_back(one.what.address);
    return;
  }
  const auto found = std::find(open.rbegin(), open.rend(), one.what.address);
  if (found != open.rend()) open.erase(std::prev(found.base()), open.end());
}

bool program_builder::is_own(const recorded& one, std::uint32_t stack) const {
  if (!own_.stacks[stack]) return false;
  if (!own_.threads.empty() && !own_.threads[one.thread]) return false;
  if (!own_.by_scope) return true;
  const auto& open = open_scopes_[one.thread];
  return own_.scopes.contains(open.empty() ? ownership::no_scope : open.back());
}

void program_builder::allocated(const recorded& one, built_block& fresh) {
  ++made_.facts.allocations;
  fresh.own = is_own(one, fresh.stack);
  fresh.by_new = new_[one.what.function];
  bear(one, fresh);
  replay::operation what =
      replay::operation::make(verb::allocate, fresh.slot, fresh.bytes, fresh.alignment_log2);
  if (fresh.own) what.what |= replay::operation::own_bit;
  if (survey_.handed[fresh.birth]) what.what |= replay::operation::handed_bit;
  if (zeroing_[one.what.function]) what.what |= replay::operation::zero_bit;
  if (fresh.by_new) what.what |= replay::operation::new_bit;
  put(one, what);
}

// Sets everything but the operation, which comes next.
void program_builder::bear(const recorded& one, built_block& fresh) {
  const std::uint32_t number = lane_of(one);
  lane_state& lane = lanes_[number];
  fresh.birth = births_++;
  fresh.bytes = std::min(one.what.size, replay::operation::most_bytes);
  fresh.lane = number;
  fresh.alignment_log2 = alignment_log2(one.what);
  fresh.slot = take_slot(fresh);
  fresh.position = static_cast<std::uint32_t>(operations(number).size());
  made_.facts.handed += survey_.handed[fresh.birth];
  if (!fresh.own) return;
  if (tracker_) {
    const bool kept = fresh.birth < kept_blocks_.size() && kept_blocks_[fresh.birth];
    fresh.born_at = tracker_->birth(one.thread, one.what.stack, fresh.bytes, kept);
  }
  lane.own = true;
  lane.last_frees.clear();
  if (lane.order.size() > 2 * lane.live + 1024) forget_dead(lane);
  lane.order.push_back({one.what.address, fresh.birth});
  ++lane.live;
  ++lane.births_since_walk;
  lane.epoch_bytes += in_chunk(fresh.bytes);
  program_facts& facts = made_.facts;
  facts.largest_epoch_bytes = std::max(facts.largest_epoch_bytes, lane.epoch_bytes);
  ++facts.own_operations;
  ++facts.own_allocations;
  facts.own_bytes += in_chunk(fresh.bytes);
  facts.own_handed += survey_.handed[fresh.birth];
  own_bytes_ += in_chunk(fresh.bytes);
  facts.own_peak_bytes = std::max(facts.own_peak_bytes, own_bytes_);
}

replay::operation program_builder::death_of(const built_block& old, verb kind) const {
  replay::operation what = replay::operation::make(kind, old.slot, old.bytes, old.alignment_log2);
  if (old.own) what.what |= replay::operation::own_bit;
  if (old.by_new) what.what |= replay::operation::new_bit;
  if (survey_.handed[old.birth]) what.what |= replay::operation::handed_bit;
  return what;
}

void program_builder::freed(const recorded& one, const built_block& old) {
  const built_block now = old;
  const std::uint32_t number = lane_of(one);
  lane_state& lane = lanes_[number];
  if (now.own && lane.births_since_walk >= std::max(lane.live, least_walk)) add_walk(number);
  ++made_.facts.frees;
  put(one, death_of(now, verb::free));
  if (now.own) {
    ++made_.facts.own_operations;
    lane.last_frees.push_back(static_cast<std::uint32_t>(operations(number).size() - 1));
    if (tracker_) tracker_->death(now.born_at, now.bytes, one.thread, one.what.stack);
  }
  die(now);
  if (number == now.lane && !survey_.handed[now.birth]) give_slot(now);
  if (now.own && !tracker_ && lane.live == 0 && lane.epoch_bytes >= least_epoch_bytes) {
    end_epoch(number);
  }
}

// A block stays in the memory in which it was born.
void program_builder::reallocated(const recorded& one, const built_block& before,
                                  built_block& fresh) {
  ++made_.facts.reallocations;
  if (before.own) {
    if (tracker_) tracker_->death(before.born_at, before.bytes, one.thread, one.what.stack);
    earlier_.push_back({before.lane, before.position, before.before});
    fresh.before = static_cast<std::uint32_t>(earlier_.size() - 1);
  }
  die(before);
  if (lane_of(one) == before.lane && !survey_.handed[before.birth]) give_slot(before);
  fresh.own = before.own;
  bear(one, fresh);
  replay::operation what =
      replay::operation::make(verb::reallocate, fresh.slot, fresh.bytes, fresh.alignment_log2);
  if (fresh.own) what.what |= replay::operation::own_bit;
  if (survey_.handed[fresh.birth]) what.what |= replay::operation::handed_bit;
  put(one, what);
  operations(lane_of(one)).push_back(death_of(before, verb::old));
}

void program_builder::unknown_free(const recorded&) {
  ++made_.facts.unknown_frees;
}

void program_builder::die(const built_block& old) {
  if (!old.own) return;
  --lanes_[old.lane].live;
  own_bytes_ -= in_chunk(old.bytes);
}

std::uint32_t program_builder::take_slot(const built_block& fresh) {
  auto& free_slots = lanes_[fresh.lane].free_slots;
  if (survey_.handed[fresh.birth] || free_slots.empty()) return slots_++;
  const std::uint32_t slot = free_slots.back();
  free_slots.pop_back();
  return slot;
}

void program_builder::give_slot(const built_block& old) {
  lanes_[old.lane].free_slots.push_back(old.slot);
}

void program_builder::end_epoch(std::uint32_t number) {
  lane_state& lane = lanes_[number];
  if (lane.epoch_bytes == 0) return;
  if (tracker_) {
    for (const birth_place& one : lane.order) {
      built_block* const survivor = blocks_.find(one.address);
      if (survivor && survivor->birth == one.birth && survivor->own) to_the_rest(*survivor);
    }
  }
  lane.order.clear();
  for (const std::uint32_t position : lane.last_frees) {
    operations(number)[position].what |= replay::operation::last_bit;
  }
  lane.last_frees.clear();
  operations(number).push_back(replay::operation::make(verb::end_epoch, 0, 0));
  ++made_.facts.epochs;
  lane.epoch_bytes = 0;
}

void program_builder::to_the_rest(built_block& survivor) {
  const auto give = [&](std::uint32_t lane, std::uint32_t position) {
    replay::operation* const what = &operations(lane)[position];
    what[0].what &= ~replay::operation::own_bit;
    if (what[0].kind() == verb::reallocate) what[1].what &= ~replay::operation::own_bit;
  };
  give(survivor.lane, survivor.position);
  for (std::uint32_t at = survivor.before; at != 0; at = earlier_[at].before) {
    give(earlier_[at].lane, earlier_[at].position);
  }
  ++made_.facts.survivors;
  die(survivor);
  tracker_->never(survivor.born_at, survivor.bytes);
  survivor.own = false;
}

void program_builder::add_walk(std::uint32_t number) {
  lane_state& lane = lanes_[number];
  forget_dead(lane);
  lane.births_since_walk = 0;
  const std::size_t first = made_.walks.size();
  for (const birth_place& one : lane.order) {
    // A block that another lane frees may disappear at any time, so it is not walked.
    if (!survey_.handed[one.birth]) made_.walks.push_back(blocks_.find(one.address)->slot);
  }
  const std::size_t count = made_.walks.size() - first;
  if (count < least_walk || made_.walks.size() > UINT32_MAX) {
    made_.walks.resize(first);
    return;
  }
  operations(number).push_back(
      replay::operation::make(verb::walk, static_cast<std::uint32_t>(first), count));
}

void program_builder::forget_dead(lane_state& lane) {
  std::erase_if(lane.order, [&](const birth_place& one) {
    const built_block* const block = blocks_.find(one.address);
    return !block || block->birth != one.birth || !block->own;
  });
}

}  // namespace mallard::replay
