// Purpose: what every entry point does around the function that it stands for: a block that matches
// a route comes from the route's resource, all others from where they would have come from.
#pragma once

#include <errno.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "preload/functions.hpp"
#include "preload/in_new.hpp"
#include "preload/next.hpp"
#include "route/preload/process.hpp"
#include "route/preload/thread.hpp"

namespace mallard::route {

using preload::function;
using unwind::frame_state;

// One that is not alive is no block: the program is told and ends, as by other mallocs.
[[gnu::noinline]] void free_routed(function through, void* block) noexcept;
[[gnu::noinline]] void* reallocate_routed(void* block, std::size_t bytes) noexcept;
std::size_t routed_bytes(const void* block) noexcept;
// A route's block, for the caller whose frame that is, or null where none takes it. The first
// where routing_thread::look() has found a match.
[[gnu::noinline]] void* routed_here(function through, std::size_t bytes, std::size_t alignment,
                                    std::uint64_t ip, std::uint64_t sp, std::uint64_t bp) noexcept;
[[gnu::noinline]] void* routed_after_walk(function through, std::size_t bytes,
                                          std::size_t alignment, std::uint64_t ip, std::uint64_t sp,
                                          std::uint64_t bp) noexcept;

inline bool is_routed(const void* block) noexcept {
  return process.codes.look_at(block) != 0 || process.range.has(block);
}

struct hook {
  static std::size_t& in_new() noexcept { return this_thread.in_new; }
  static void failure(function, std::size_t, const frame_state&) noexcept {}

  template <class Call>
  [[gnu::always_inline]] static void* allocation(function through, std::size_t bytes,
                                                 std::size_t alignment, const frame_state& caller,
                                                 Call call) {
    thread_words& words = this_thread;
    if (words.busy) return call();
    words.busy = true;
    void* block = routed(words, through, bytes, alignment, caller);
    if (block == nullptr) [[likely]]
      block = call();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    words.busy = false;
    return block;
  }

  // An exception may leave the call, so `busy` is not set: what the operator calls knows by in_new.
  template <class Call>
  [[gnu::always_inline]] static void* throwing_new(function through, std::size_t bytes,
                                                   std::size_t alignment, const frame_state& caller,
                                                   Call call) {
    thread_words& words = this_thread;
    const std::size_t inner =
        alignment != 0 ? preload::aligned_in_new : preload::malloc_in_new(bytes);
    if (words.busy || words.in_new == inner) return call();  // new[] calls new
    words.busy = true;
    void* block = routed(words, through, bytes, alignment, caller);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    words.busy = false;
    if (block != nullptr) [[unlikely]]
      return block;
    words.in_new = inner;
    block = call();
    words.in_new = 0;
    return block;
  }

  template <class Call>
  [[gnu::always_inline]] static void free(function through, void* block, const frame_state&,
                                          Call call) {
    if (is_routed(block)) [[unlikely]]
      return free_routed(through, block);
    call();
  }

  template <class Call>
  [[gnu::always_inline]] static void* reallocation(function through, void* block, std::size_t bytes,
                                                   const frame_state& caller, Call call) {
    if (block == nullptr) return allocation(through, bytes, 0, caller, call);
    // A block stays where it was allocated, as one of a container stays with its allocator.
    return is_routed(block) ? reallocate_routed(block, bytes) : call();
  }

  static void unloaded() noexcept { process.forget_addresses(); }

 private:
  using standing = routing_thread::standing;

  // A route's block, or null where none takes it.
  [[gnu::always_inline]] static void* routed(thread_words& words, function through,
                                             std::size_t bytes, std::size_t alignment,
                                             const frame_state& caller) noexcept {
    routing_thread* const thread = words.state;
    const standing found = thread != nullptr ? thread->look(bytes, caller) : standing::unknown;
    if (found == standing::passes) [[likely]]
      return nullptr;
    return found == standing::matches
               ? routed_here(through, bytes, alignment, caller.ip, caller.sp, caller.bp)
               : routed_after_walk(through, bytes, alignment, caller.ip, caller.sp, caller.bp);
  }
};

}  // namespace mallard::route
