// Purpose: what every recorded entry point does around the function that it stands for.
//
//   entered log{wanted::all};                  null: not to be recorded, or inside another
//   void* p = next<...>()(bytes);
//   if (log && p) log->write(...);
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/preload/next.hpp"
#include "recorder/preload/thread_log.hpp"

#define MALLARD_RECORDED extern "C" [[gnu::visibility("default")]]

namespace mallard::recorder {

// Small, and in the thread's own part of memory that is there from the start: no entry point may
// have to allocate to find it.
struct thread_state {
  thread_log* log;
  bool busy;  // inside an entry point, or in the recorder itself
  // A throwing operator new is under way and will call malloc for itself: which call that is. An
  // exception may leave it, so `busy` would not be reset: the call that was meant resets this.
  // 0: none, or it failed and what comes now counts for itself.
  std::size_t in_new;
};
extern thread_local constinit thread_state this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

inline constexpr std::size_t taken_in_new = 1;  // by the call that was meant
inline constexpr std::size_t aligned_in_new = SIZE_MAX;
// operator new(0) asks for one byte.
inline constexpr std::size_t malloc_in_new(std::size_t bytes) noexcept {
  return bytes == 0 ? 2 : bytes + 1;
}
inline void* taken_by_new(void* block) noexcept {
  this_thread.in_new = block != nullptr ? taken_in_new : 0;
  return block;
}

// The log of this thread, where it is known to be good, else null.
[[gnu::always_inline]] inline thread_log* ready_log() noexcept {
  thread_log* const log = this_thread.log;
  const session& all = *process.all;
  if (log == nullptr || log->epoch() != process.page->epoch.load(std::memory_order_relaxed) ||
      all.mode.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(recording::on) ||
      process.paused.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    return nullptr;
  }
  return log;
}

// Makes it good if this can be. Sets `only_frees` when nothing but that a block is gone is
// recorded.
[[gnu::cold, gnu::noinline]] thread_log* make_ready(bool& only_frees) noexcept;

// While one of these lives, this thread records nothing but through it.
class entered {
 public:
  [[gnu::always_inline]] entered() noexcept {
    if (this_thread.busy) return;
    log_ = ready_log();
    if (log_ == nullptr) [[unlikely]] {
      log_ = make_ready(only_frees_);
      if (log_ == nullptr) return;
    }
    this_thread.busy = true;
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

// The caller of the function in whose body this is written; it must have a frame pointer.
#if defined(__x86_64__)
inline constexpr std::uint64_t words_above_frame_pointer = 16;
#else
inline constexpr std::uint64_t words_above_frame_pointer = 0;
#endif
#define MALLARD_CALLER()                                               \
  ::mallard::recorder::frame_state {                                   \
    reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),      \
        reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) +  \
            ::mallard::recorder::words_above_frame_pointer,            \
        *static_cast<const std::uint64_t*>(__builtin_frame_address(0)) \
  }

// An allocation: `call()` gives the block.
template <class Call>
[[gnu::always_inline]] inline void* recorded_allocation(function through, std::size_t bytes,
                                                        std::size_t alignment,
                                                        const frame_state& caller, Call call) {
  entered log;
  if (!log.everything()) return call();
  std::uint64_t began = 0;
  const bool timed = log->is_timed();
  if (timed) [[unlikely]]
    began = now();
  void* const block = call();
  if (block == nullptr) [[unlikely]]
    return nullptr;
  const std::uint64_t time = now();
  const unsigned log2 = alignment == 0 ? 0U : static_cast<unsigned>(__builtin_ctzll(alignment));
  log->write(
      {message::allocate, through, log2, time, reinterpret_cast<std::uint64_t>(block), bytes, 0},
      caller, timed ? time - began : 0);
  return block;
}

// A deallocation: `call()` does it.
template <class Call>
[[gnu::always_inline]] inline void recorded_free(function through, void* block,
                                                 const frame_state& caller, Call call) {
  if (block == nullptr) return call();
  entered log;
  if (!log.frees()) return call();
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

}  // namespace mallard::recorder
