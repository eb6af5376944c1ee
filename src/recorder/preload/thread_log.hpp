// Purpose: the output of one thread: its ring, the numbers of its stacks, its losses. It lives in
// the thread's slot of the session.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/functions.hpp"
#include "preload/node_table.hpp"
#include "preload/stack_walk.hpp"
#include "recorder/preload/process.hpp"
#include "recorder/session.hpp"
#include "unwind/frame_rule.hpp"

namespace mallard::recorder {

struct block_event {
  message kind;
  function through;
  unsigned alignment_log2;
  std::uint64_t time;
  std::uint64_t address;
  std::uint64_t size;
  std::uint64_t other;  // reallocate: the old block; resources: the name's number
};

class thread_log {
 public:
  void open(thread_slot& slot, std::uint32_t epoch) noexcept;
  bool is_open() const noexcept { return slot_ != nullptr; }
  // Stored inverted, so that it is false for a slot that the reader has freed and zeroed, even in
  // the child of a fork, whose epoch is 0.
  bool is_of(std::uint32_t epoch) const noexcept { return not_epoch_ == ~epoch; }
  // Modules were unloaded, so addresses may mean other functions.
  void renew(std::uint32_t epoch) noexcept;

  // One operation of each group of 64 is timed.
  bool is_timed() noexcept {
    if (--timed_.until != 0) [[likely]]
      return false;
    choose_next(timed_, timed_group);
    return true;
  }

  // Writes an event with the caller's stack, and the operation's cost if it is known.
  void write(const block_event& event, const frame_state& caller, std::uint64_t cost) noexcept;
  // Writes that a block was freed, without a stack.
  void write_freed(std::uint64_t address) noexcept;
  void write_scope(message kind, std::uint64_t name, const frame_state& caller) noexcept;
  void write_text(message kind, std::uint64_t low, unsigned function, const char* text,
                  std::size_t bytes) noexcept;
  // Writes the module of an address, unless it is known.
  void write_module_of(std::uint64_t ip) noexcept {
    if (!process.modules.has(ip)) [[unlikely]]
      write_module(ip);
  }
  void write_module_gone(std::uint64_t load_bias) noexcept;

  // Called from the signal of the processor clock with the interrupted place. The clock expired
  // `times` times since the last signal, because the system checks it at its own pace.
  void sample(const frame_state& at, std::uint32_t times) noexcept;
  // The same, if a malloc was interrupted that will write an event.
  void sample_in_call(std::uint32_t times) noexcept { samples_in_call_ += times; }
  void finish_call() noexcept {
    if (samples_in_call_ != 0) [[unlikely]]
      write_samples_of_call();
  }
  // The number of the processor clock's timer, so that another thread can delete it; or no_timer.
  void keep_timer(int timer) noexcept { timer_ = timer; }
  int timer() const noexcept { return timer_; }
  // Counts an operation that could not be recorded.
  void lose() noexcept;

  // Used by the walk: the numbers of stacks.
  std::uint32_t find(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>(nodes_.find(key).number);
  }
  std::uint32_t add(std::uint64_t key, std::uint32_t parent, std::uint64_t ip,
                    std::uint64_t frame_address) noexcept;

 private:
  std::uint64_t* reserve(std::size_t words) noexcept {
    if (head_ + words <= limit_) [[likely]]
      return slot_->ring + (head_ - lap_);
    return reserve_slowly(words);
  }
  void publish(std::size_t words) noexcept {
    head_ += words;
    slot_->head.store(head_, std::memory_order_release);
  }
  std::uint64_t* reserve_slowly(std::size_t words) noexcept;
  bool make_room(std::size_t words) noexcept;
  // The writer's limit while the reader is at `tail`: it must not overwrite unread words of the
  // previous lap, nor pass the end of this lap.
  std::uint64_t full_at(std::uint64_t tail) const noexcept {
    return tail >= lap_ ? lap_ + lap_words_ : tail + lap_before_;
  }
  bool is_full_still(std::size_t words) const noexcept;
  std::uint32_t stack_of(const frame_state& from, bool exact, std::uint64_t time) noexcept;
  void start_numbers_over() noexcept;
  void write_module(std::uint64_t ip) noexcept;
  void write_samples(message kind, std::uint64_t time, std::uint32_t stack,
                     std::uint32_t times) noexcept;
  void write_samples_of_call() noexcept;

  // Operations come in groups, and one of each is looked at, at a random place. At the same place
  // in each, a program that allocates and frees in turns would have only its frees looked at.
  struct next_look {
    std::uint64_t until;   // operations from now
    std::uint64_t behind;  // operations of its group that come after it
  };
  void choose_next(next_look& next, std::uint64_t of_group) noexcept {
    random_ = random_ * 1664525 + 1013904223;
    const std::uint64_t place = 1 + ((std::uint64_t{random_} * of_group) >> 32);
    next = {next.behind + place, of_group - place};
  }

  static constexpr std::uint64_t timed_group = 64;
  static constexpr std::uint64_t never_full = ~std::uint64_t{0};

  thread_slot* slot_;
  std::uint64_t head_;
  std::uint64_t lap_;         // the value of `head_` at the start of the ring
  std::uint64_t lap_words_;   // the length of this lap
  std::uint64_t lap_before_;  // the length of the previous lap
  std::uint64_t limit_;       // the limit up to which nothing need be checked
  std::uint64_t full_since_;  // the reader's position when dropping began
  std::uint64_t last_time_;
  std::uint32_t not_epoch_;
  next_look timed_;
  next_look with_stack_;
  std::uint32_t random_;
  std::uint32_t last_stack_;
  std::uint32_t samples_in_call_;
  int timer_;
  bool in_signal_;
  node_table nodes_;
  stack_walk stack_;
  char path_[4096];  // too large for some threads' stacks
};
static_assert(sizeof(thread_log) <= private_bytes);

// Returns: a slot for this thread; null if none is left.
thread_log* open_thread() noexcept;

}  // namespace mallard::recorder
