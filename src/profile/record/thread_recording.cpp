#include "profile/record/thread_recording.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mallard::profile {
namespace {

using recorder::message;

constexpr std::size_t batch = 4096;

// Rounds down by less than an eighth, in steps of the clock's resolution.
std::uint64_t rounded_down(std::uint64_t ns) {
  const std::uint64_t steps = ns / ticks_clock::resolution;
  const int dropped = std::max(0, static_cast<int>(std::bit_width(steps)) - 4);
  return (steps >> dropped << dropped) * ticks_clock::resolution;
}

}  // namespace

std::string_view text_of(const std::uint64_t* message) {
  return {reinterpret_cast<const char*>(message + 2), message[1]};
}

std::uint64_t thread_recording::take(recorder::thread_slot& slot, std::uint64_t tail,
                                     std::uint64_t until, bool alone) {
  alone_ = alone;
  std::uint64_t at = slot.read_at;
  while (tail < until) {
    const std::uint64_t first = slot.ring[at];
    const std::size_t words = one(slot.ring + at);
    tail += words;
    at = recorder::kind_of(first) == message::skip ? 0 : at + words;
  }
  slot.read_at = at;
  if (samples_.size() >= batch) {
    trace_->cpu_samples(id_, samples_);
    samples_.clear();
  }
  return tail;
}

std::size_t thread_recording::one(const std::uint64_t* at) {
  const std::uint64_t low = recorder::low_of(*at);
  switch (recorder::kind_of(*at)) {
    case message::skip:
      return low;
    case message::allocate:
      block(at, event_kind::allocate, 4);
      return 4;
    case message::free:
      block(at, event_kind::free, 3);
      return 3;
    case message::reallocate:
      block(at, event_kind::reallocate, 5);
      return 5;
    case message::resource_allocate:
      block(at, event_kind::allocate, 5);
      return 5;
    case message::resource_free:
      block(at, event_kind::free, 5);
      return 5;
    case message::cost:
      if (!events_.empty()) {
        events_.back().cost =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(clock_->duration(low), UINT32_MAX));
      }
      return 1;
    case message::node:
      nodes_.push_back(trace_->stack(stack(low), {at[1], at[2]}));
      return 3;
    case message::forget:
      nodes_.resize(1);
      return 1;
    case message::module:
      module(at);
      return low + 1;
    case message::module_gone:
      trace_->unmodule(clock_->at(at[1]), at[2]);
      return 3;
    case message::sample:
    case message::sample_in_heap:
      samples_.insert(
          samples_.end(), recorder::function_of(*at) | recorder::alignment_of(*at) << 8,
          {clock_->at(at[1]), stack(low), recorder::kind_of(*at) == message::sample_in_heap});
      return 2;
    case message::scope_enter:
      scope(at, event_kind::scope_enter);
      return 3;
    case message::scope_exit:
      scope(at, event_kind::scope_exit);
      return 3;
    case message::name:
      trace_->name(recorder::function_of(*at) == static_cast<unsigned>(recorder::name_of::scope)
                       ? name_kind::scope
                       : name_kind::resource,
                   low, text_of(at));
      return 2 + (at[1] + 7) / 8;
    case message::thread_name:
      name_ = text_of(at);
      return 2 + (at[1] + 7) / 8;
    case message::command:
      return 2 + (at[1] + 7) / 8;
  }
  return 1;
}

void thread_recording::block(const std::uint64_t* at, event_kind kind, std::size_t words) {
  const bool of_resource = recorder::kind_of(*at) == message::resource_allocate ||
                           recorder::kind_of(*at) == message::resource_free;
  event one;
  one.time = time(at[1]);
  one.address = at[2];
  if (words > 3) one.size = at[3];
  if (words > 4) one.old_address = at[4];
  one.stack = stack(recorder::low_of(*at));
  one.kind = kind;
  one.function =
      of_resource ? resource_function : static_cast<std::uint8_t>(recorder::function_of(*at));
  one.alignment_log2 = static_cast<std::uint8_t>(recorder::alignment_of(*at));
  add(one);
}

void thread_recording::scope(const std::uint64_t* at, event_kind kind) {
  event one;
  one.time = time(at[1]);
  one.address = recorder::low_of(*at);
  one.stack = stack(at[2]);
  one.kind = kind;
  add(one);
}

void thread_recording::hand_over() {
  if (!samples_.empty()) trace_->cpu_samples(id_, samples_);
  samples_.clear();
  if (events_.empty()) return;
  // Keep the last one, which may still get a cost.
  const event last = events_.back();
  events_.pop_back();
  if (!events_.empty()) trace_->events(id_, events_);
  events_.assign(1, last);
}

void thread_recording::add(const event& one) {
  if (events_.size() >= batch) hand_over();
  events_.push_back(one);
  ++count_;
}

void thread_recording::module(const std::uint64_t* at) {
  const auto path_bytes = static_cast<std::size_t>(at[5]);
  const char* const text = reinterpret_cast<const char*>(at + 7);
  module_info one;
  one.time = clock_->at(at[1]);
  one.load_bias = at[2];
  one.path.assign(text, path_bytes);
  one.build_id.assign(text + (path_bytes + 7) / 8 * 8, static_cast<std::size_t>(at[6]));
  one.segments.push_back({at[3] - at[2], at[4] - at[3]});
  trace_->module(one);
}

void thread_recording::flush() {
  if (!events_.empty()) trace_->events(id_, events_);
  if (!samples_.empty()) trace_->cpu_samples(id_, samples_);
  events_.clear();
  samples_.clear();
}

// Without another thread whose events must be ordered against these, the last bits of long
// intervals are noise. Dropping them saves a quarter of a byte for each event of the trace.
std::uint64_t thread_recording::time(std::uint64_t ticks) {
  const std::uint64_t time = clock_->at(ticks);
  if (time <= last_time_) return last_time_;
  const std::uint64_t passed = time - last_time_;
  last_time_ += alone_ ? rounded_down(passed) : passed;
  return last_time_;
}

std::uint32_t thread_recording::stack(std::uint64_t node) const {
  return node < nodes_.size() ? nodes_[node] : 0;
}

}  // namespace mallard::profile
