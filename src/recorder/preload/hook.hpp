// Purpose: the code that every recorded entry point runs around the original function.
//
//   entered log;                               null: not recorded, or inside another entry point
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

// Small, and in initial-exec thread-local storage: no entry point may have to allocate to find it.
struct thread_state {
  thread_log* log;
  bool busy;           // inside an entry point, or in the recorder itself
  std::size_t in_new;  // see preload/in_new.hpp
};
extern thread_local constinit thread_state this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The log of this thread if it is known to be valid; otherwise null.
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

// Whether the recording is over: from then on operations are only counted.
[[gnu::always_inline]] inline bool is_over() noexcept {
  return process.all->mode.load(std::memory_order_relaxed) ==
         static_cast<std::uint32_t>(recording::over);
}

// Whether there is nothing to do before that changes: the recording is over, or has not begun and
// the process is known to it.
[[gnu::always_inline]] inline bool is_idle() noexcept {
  const auto mode = static_cast<recording>(process.all->mode.load(std::memory_order_relaxed));
  return mode == recording::over ||
         (mode == recording::not_yet && process.page->epoch.load(std::memory_order_relaxed) != 0);
}

// Returns: a valid log if possible. Sets `only_frees` if only frees are recorded now.
[[gnu::cold, gnu::noinline]] thread_log* make_ready(bool& only_frees) noexcept;

// Counts an operation before or after the recording.
[[gnu::cold, gnu::noinline]] void count_unrecorded() noexcept;

// While one of these lives, this thread records only through it.
class entered {
 public:
  [[gnu::always_inline]] entered() noexcept {
    if (this_thread.busy) return;
    // Must be set before the session is checked: see thread_slot::busy_at.
    this_thread.busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    log_ = ready_log();
    if (log_ == nullptr) [[unlikely]] {
      if (!is_idle()) log_ = make_ready(only_frees_);
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

// Before and after the recording, the outermost hook counts. Not every operator calls malloc or
// free, nor through hooks.
template <class Call>
[[gnu::cold, gnu::noinline]] auto counted(const Call& call) noexcept {
  struct as_busy {
    as_busy() noexcept { this_thread.busy = true; }
    ~as_busy() { this_thread.busy = false; }
  };
  if (this_thread.busy || !is_idle()) return call();
  count_unrecorded();
  const as_busy inside;
  return call();
}

// The entry points call these around the original functions.
struct hook {
  static std::size_t& in_new() noexcept { return this_thread.in_new; }

  // An allocation; `call()` returns the block.
  template <class Call>
  [[gnu::always_inline]] static void* allocation(function through, std::size_t bytes,
                                                 std::size_t alignment, const frame_state& caller,
                                                 Call call) {
    entered log;
    if (!log.everything()) [[unlikely]] {
      return log.frees() ? call() : counted(call);
    }
    std::uint64_t began = 0;
    const bool timed = log->is_timed();
    if (timed) [[unlikely]] {
      look_for_modules();
      began = now();
    }
    void* const block = call();  // null reports a failure
    const std::uint64_t time = now();
    const unsigned log2 = alignment == 0 ? 0U : static_cast<unsigned>(__builtin_ctzll(alignment));
    log->write(
        {message::allocate, through, log2, time, reinterpret_cast<std::uint64_t>(block), bytes, 0},
        caller, timed ? time - began : 0);
    return block;
  }

  // An allocation failed inside a throwing operator.
  [[gnu::cold, gnu::noinline]] static void failure(function through, std::size_t bytes,
                                                   const frame_state& caller) noexcept {
    allocation(through, bytes, 0, caller, []() -> void* { return nullptr; });
  }

  // A deallocation, done by `call()`.
  template <class Call>
  [[gnu::always_inline]] static void free(function through, void* block, const frame_state& caller,
                                          Call call) {
    if (block == nullptr) return call();
    entered log;
    if (!log.frees()) [[unlikely]] {
      return counted(call);
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

  // Effects: records an allocation, a free or a move, as it turns out. Its cost is always measured,
  // because its start must be known: from then on others may get the old address.
  template <class Call>
  static void* reallocation(function which, void* block, std::size_t bytes,
                            const frame_state& caller, Call call) noexcept {
    if (block == nullptr) return allocation(which, bytes, 0, caller, call);
    entered log;
    if (!log.frees()) [[unlikely]] {
      return counted(call);
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

  // Throwing operators: an exception passes through here, and nothing needs to be undone.
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
      if (log == nullptr && !is_idle()) [[unlikely]]
        log = make_ready(for_nothing);
      if (for_nothing) log = nullptr;
    }
    if (log == nullptr) {
      if (this_thread.busy || !is_idle()) return call_next();
      count_unrecorded();
      this_thread.in_new = inner;  // so that its malloc is not counted, too
      void* const block = call_next();
      this_thread.in_new = 0;
      return block;
    }
    timed = log->is_timed();
    if (timed) [[unlikely]]
      look_for_modules();
    const std::uint64_t began = timed ? now() : 0;
    this_thread.in_new = inner;
    void* const block = call_next();
    const bool recorded =
        this_thread.in_new == 0;  // after a first failure, when the new-handler was called
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
