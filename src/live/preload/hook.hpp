// Purpose: the code that every entry point runs around the original function: it counts, and takes
// a sample now and then.
#pragma once

#include <errno.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "live/preload/process.hpp"
#include "preload/caller.hpp"
#include "preload/functions.hpp"
#include "preload/in_new.hpp"
#include "preload/next.hpp"

namespace mallard::live {

using preload::function;
using unwind::frame_state;

// Small, and in initial-exec thread-local storage.
struct thread_words {
  thread_counts* counts;
  std::int64_t left;  // units until the next sample
  std::uint64_t random;
  std::size_t in_new;  // see preload/in_new.hpp
  bool busy;           // inside a counting entry point, or in the library itself
  bool closed;         // not counted, or no longer
};
extern thread_local constinit thread_words this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Returns: this thread's counts; null if it is not to be counted.
[[gnu::cold, gnu::noinline]] thread_counts* make_ready(thread_words& words) noexcept;
[[gnu::noinline]] void take_sample(thread_words& words, const void* block, std::size_t bytes,
                                   const frame_state& caller) noexcept;
// A block that may be a sample is freed.
[[gnu::noinline]] void forget_sample(thread_words& words, const void* block) noexcept;
void end_thread(thread_counts& slot) noexcept;
void stop_in_this_thread() noexcept;

// For a word with one writer: needs no atomic addition.
[[gnu::always_inline]] inline void add_alone(std::atomic<std::uint64_t>& to,
                                             std::uint64_t what) noexcept {
  to.store(to.load(std::memory_order_relaxed) + what, std::memory_order_relaxed);
}

struct hook {
  static std::size_t& in_new() noexcept { return this_thread.in_new; }
  static void failure(function, std::size_t, const frame_state&) noexcept {}

  template <class Call>
  [[gnu::always_inline]] static void* allocation(function, std::size_t bytes, std::size_t,
                                                 const frame_state& caller, Call call) {
    thread_words& words = this_thread;
    if (words.busy) [[unlikely]]
      return call();
    words.busy = true;
    void* const block = call();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    words.busy = false;
    count(words, block, bytes, caller);
    return block;
  }

  // An exception may leave the call, so `busy` is not set: in_new marks calls of the operator
  // instead.
  template <class Call>
  [[gnu::always_inline]] static void* throwing_new(function, std::size_t bytes,
                                                   std::size_t alignment, const frame_state& caller,
                                                   Call call) {
    thread_words& words = this_thread;
    const std::size_t inner =
        alignment != 0 ? preload::aligned_in_new : preload::malloc_in_new(bytes);
    if (words.busy || words.in_new == inner) return call();  // new[] calls new
    words.in_new = inner;
    void* const block = call();
    // 0: an inner call failed, and the later ones were counted by themselves.
    const bool counted = words.in_new == 0;
    words.in_new = 0;
    if (!counted) count(words, block, bytes, caller);
    return block;
  }

  template <class Call>
  [[gnu::always_inline]] static void free(function, void* block, const frame_state&, Call call) {
    thread_words& words = this_thread;
    if (block == nullptr || words.busy) return call();  // operator delete calls free
    if (process.samples.may_have(block)) [[unlikely]]
      forget_sample(words, block);
    if (words.counts != nullptr || make_ready(words) != nullptr) [[likely]]
      add_alone(words.counts->frees, 1);
    words.busy = true;
    call();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    words.busy = false;
  }

  // Counts as an allocation and a free.
  template <class Call>
  static void* reallocation(function through, void* block, std::size_t bytes,
                            const frame_state& caller, Call call) {
    if (block == nullptr) return allocation(through, bytes, 0, caller, call);
    thread_words& words = this_thread;
    if (words.busy || (words.counts == nullptr && make_ready(words) == nullptr)) return call();
    words.busy = true;
    // Removed before another thread may get the same address.
    sampled_block old{};
    if (process.samples.may_have(block)) old = process.take_sample(block);
    void* const result = call();
    const bool is_gone = result != nullptr || bytes == 0;
    if (old.address != 0) is_gone ? process.count_freed(old) : process.put_back(old);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    words.busy = false;
    if (is_gone) add_alone(words.counts->frees, 1);
    count(words, result, bytes, caller);
    return result;
  }

  static void unloaded() noexcept;

 private:
  [[gnu::always_inline]] static void count(thread_words& words, const void* block,
                                           std::size_t bytes, const frame_state& caller) noexcept {
    thread_counts* counts = words.counts;
    if (counts == nullptr) [[unlikely]] {
      counts = make_ready(words);
      if (counts == nullptr) return;
    }
    if (block == nullptr) [[unlikely]]
      return;
    add_alone(counts->allocations, 1);
    add_alone(counts->bytes, bytes);
    words.left -= static_cast<std::int64_t>(bytes + units_of_call);
    if (words.left < 0) [[unlikely]]
      take_sample(words, block, bytes, caller);
  }
};

}  // namespace mallard::live
