// Purpose: what every recorded entry point does around the function that it stands for.
//
//   entered log{wanted::all};                  null: not to be recorded, or inside another
//   void* p = next<...>()(bytes);
//   if (log && p) log->write(...);
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/caller.hpp"
#include "preload/in_new.hpp"
#include "preload/next.hpp"
#include "recorder/preload/thread_log.hpp"

namespace mallard::recorder {

// Small, and in the thread's own part of memory that is there from the start: no entry point may
// have to allocate to find it.
struct thread_state {
  thread_log* log;
  bool busy;           // inside an entry point, or in the recorder itself
  std::size_t in_new;  // see preload/in_new.hpp
};
extern thread_local constinit thread_state this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The log of this thread, where it is known to be good, else null.
[[gnu::always_inline]] inline thread_log* ready_log() noexcept {
  thread_log* const log = this_thread.log;
  const session& all = *process.all;
  if (log == nullptr || !log->is_of(process.page->epoch.load(std::memory_order_relaxed)) ||
      all.mode.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(recording::on) ||
      process.paused.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    return nullptr;
  }
  return log;
}

// Nothing is written any more: what a long program does from then on is only counted.
[[gnu::always_inline]] inline bool is_over() noexcept {
  return process.all->mode.load(std::memory_order_relaxed) ==
         static_cast<std::uint32_t>(recording::over);
}

// Makes it good if this can be. Sets `only_frees` when nothing but that a block is gone is
// recorded.
[[gnu::cold, gnu::noinline]] thread_log* make_ready(bool& only_frees) noexcept;

// Counts an operation that comes when the recording is over.
[[gnu::cold, gnu::noinline]] void count_unrecorded() noexcept;

// While one of these lives, this thread records nothing but through it.
class entered {
 public:
  [[gnu::always_inline]] entered() noexcept {
    if (this_thread.busy) return;
    // Before the look at the session: see thread_slot::busy_at.
    this_thread.busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    log_ = ready_log();
    if (log_ == nullptr) [[unlikely]] {
      if (!is_over()) log_ = make_ready(only_frees_);
      if (log_ == nullptr) this_thread.busy = false;
    }
  }
  [[gnu::always_inline]] ~entered() {
    if (log_ == nullptr) return;
    log_->finish_call();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    this_thread.busy = false;
  }
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

  [[gnu::always_inline]] bool everything() const noexcept {
    return log_ != nullptr && !only_frees_;
  }
  [[gnu::always_inline]] bool frees() const noexcept { return log_ != nullptr; }
  [[gnu::always_inline]] bool only_frees() const noexcept { return only_frees_; }
  thread_log* operator->() const noexcept { return log_; }

 private:
  thread_log* log_ = nullptr;
  bool only_frees_ = false;
};

// The entry points call these around the functions that they stand for.
struct hook {
  static std::size_t& in_new() noexcept { return this_thread.in_new; }

  // An allocation: `call()` gives the block.
  template <class Call>
  [[gnu::always_inline]] static void* allocation(function through, std::size_t bytes,
                                                 std::size_t alignment, const frame_state& caller,
                                                 Call call) {
    entered log;
    if (!log.everything()) [[unlikely]] {
      // Calls by operators are counted there.
      if (through == function::malloc || through == function::calloc) count_unrecorded();
      return call();
    }
    std::uint64_t began = 0;
    const bool timed = log->is_timed();
    if (timed) [[unlikely]] {
      look_for_modules();
      began = now();
    }
    void* const block = call();  // a failure is told of by its null
    const std::uint64_t time = now();
    const unsigned log2 = alignment == 0 ? 0U : static_cast<unsigned>(__builtin_ctzll(alignment));
    log->write(
        {message::allocate, through, log2, time, reinterpret_cast<std::uint64_t>(block), bytes, 0},
        caller, timed ? time - began : 0);
    return block;
  }

  // An allocation that has failed inside an operator that throws.
  [[gnu::cold, gnu::noinline]] static void failure(function through, std::size_t bytes,
                                                   const frame_state& caller) noexcept {
    allocation(through, bytes, 0, caller, []() -> void* { return nullptr; });
  }

  // A deallocation: `call()` does it.
  template <class Call>
  [[gnu::always_inline]] static void free(function through, void* block, const frame_state& caller,
                                          Call call) {
    if (block == nullptr) return call();
    entered log;
    if (!log.frees()) [[unlikely]] {
      if (through == function::free) count_unrecorded();
      return call();
    }
    if (log.only_frees()) {
      log->write_freed(reinterpret_cast<std::uint64_t>(block));
      return call();
    }
    const block_event event{
        message::free, through, 0, now(), reinterpret_cast<std::uint64_t>(block), 0, 0};
    if (log->is_timed()) [[unlikely]] {
      call();
      log->write(event, caller, now() - event.time);
      return;
    }
    log->write(event, caller, 0);
    call();
  }

  // Effects: as of one that allocates, frees, or moves a block, whichever it turns out to be. Its
  // cost is always known, so that the instant before it is, too: that is when the old block's place
  // became free for others.
  template <class Call>
  static void* reallocation(function which, void* block, std::size_t bytes,
                            const frame_state& caller, Call call) noexcept {
    if (block == nullptr) return allocation(which, bytes, 0, caller, call);
    entered log;
    if (!log.frees()) [[unlikely]] {
      count_unrecorded();
      return call();
    }
    const std::uint64_t address = reinterpret_cast<std::uint64_t>(block);
    if (log.only_frees()) {
      log->write_freed(address);
      return call();
    }
    const std::uint64_t began = now();
    void* const result = call();
    const std::uint64_t time = now();
    if (result != nullptr) {
      log->write({message::reallocate, which, 0, time, reinterpret_cast<std::uint64_t>(result),
                  bytes, address},
                 caller, time - began);
    } else if (bytes == 0) {
      log->write({message::free, which, 0, began, address, 0, 0}, caller, time - began);
    } else {
      log->write({message::reallocate, which, 0, time, 0, bytes, address}, caller, 0);
    }
    return result;
  }

  // Operators that throw: an exception goes through here, and nothing is to be undone then.
  template <class Call>
  [[gnu::always_inline]] static void* throwing_new(function which, std::size_t bytes,
                                                   std::size_t alignment, const frame_state& caller,
                                                   Call call_next) {
    const std::size_t inner = alignment != 0 ? aligned_in_new : malloc_in_new(bytes);
    if (this_thread.in_new == inner) return call_next();  // new[] calls new
    bool for_nothing = false;
    thread_log* log = nullptr;
    bool timed = false;
    if (!this_thread.busy) {
      log = ready_log();
      if (log == nullptr && !is_over()) [[unlikely]]
        log = make_ready(for_nothing);
      if (for_nothing) log = nullptr;
    }
    if (log == nullptr) return call_next();
    timed = log->is_timed();
    if (timed) [[unlikely]]
      look_for_modules();
    const std::uint64_t began = timed ? now() : 0;
    this_thread.in_new = inner;
    void* const block = call_next();
    const bool recorded =
        this_thread.in_new == 0;  // after a first failure, when a handler was called
    this_thread.in_new = 0;
    const std::uint64_t time = now();
    if (recorded) return block;
    this_thread.busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (ready_log() != log) {
      this_thread.busy = false;
      return block;
    }
    log->write({message::allocate, which,
                alignment == 0 ? 0U : static_cast<unsigned>(__builtin_ctzll(alignment)), time,
                reinterpret_cast<std::uint64_t>(block), bytes, 0},
               caller, timed ? time - began : 0);
    log->finish_call();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    this_thread.busy = false;
    return block;
  }

  // A module may have been unloaded.
  static void unloaded() noexcept;
};

}  // namespace mallard::recorder
