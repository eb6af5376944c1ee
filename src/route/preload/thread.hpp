// Purpose: a thread's part in routing: its stack, the scopes it is in, its arenas, its counts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/frame_rule.hpp"
#include "preload/stack_walk.hpp"
#include "route/preload/arena.hpp"
#include "route/preload/process.hpp"
#include "route/preload/recent_stacks.hpp"
#include "route/session.hpp"

namespace mallard::route {

class routing_thread {
 public:
  routing_thread() noexcept;

  // Which route a block takes; -1: none.
  [[gnu::always_inline]] int route_of(std::size_t bytes,
                                      const preload::frame_state& caller) noexcept {
    const session& all = *process.all;
    std::uint32_t fitting = 0;  // by what is known without the stack
    for (std::uint32_t i = 0; i < all.route_count; ++i) {
      const route_rule& rule = all.routes[i];
      const bool fits =
          (rule.scopes & ~scopes_) == 0 && bytes - rule.smallest <= rule.largest - rule.smallest;
      fitting |= std::uint32_t{fits} << i;
    }
    if (!all.walks) return fitting == 0 || all.only_looks ? -1 : __builtin_ctz(fitting);
    // An invocation ends where a stack is met that is outside of it.
    if ((fitting | open_ | std::uint32_t{all.names_survivors}) == 0) return -1;
    const std::uint32_t stack = marks_of_stack(caller);
    if (open_ != 0) [[unlikely]]
      end_invocations_outside(stack);
    for (; fitting != 0; fitting &= fitting - 1) {
      const auto route = static_cast<std::uint32_t>(__builtin_ctz(fitting));
      if ((all.routes[route].marks & ~stack) != 0) continue;
      caller_ = caller;
      return all.only_looks ? -1 : static_cast<int>(route);
    }
    return -1;
  }

  // A block of that route, for the caller that was asked about last; null: it cannot serve it.
  void* allocate(std::uint32_t route, std::size_t bytes, std::size_t alignment) noexcept;
  // The same for a block that takes the place of one of that route.
  void* allocate_again(arena& of, std::size_t bytes) noexcept;

  void enter_scope(const char* name) noexcept;
  void exit_scope(const char* name) noexcept;

  // The thread ends: what is its own is left to others.
  void leave() noexcept;
  // In the child of a fork: they are the parent's.
  void forget_counts() noexcept { counts_ = nullptr; }

  // For the walk, which keeps what add() gives for each frame: the marks of the stack up to it. Any
  // number but 0 will do for it.
  std::uint32_t find(std::uint64_t) const noexcept { return 0; }
  std::uint32_t add(std::uint64_t, std::uint32_t outside, std::uint64_t ip,
                    std::uint64_t) noexcept {
    const std::uint32_t own = process.addresses.marks_of(ip);
    const std::uint32_t modules = (own & marks::runtime) != 0 ? outside : own;
    return marks::known | ((outside | own) & marks::functions) | (modules & marks::modules);
  }

 private:
  // Counted by this thread alone.
  static void add_to(std::atomic<std::uint64_t>& sum, std::uint64_t more) noexcept {
    sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  thread_counts* find_counts() noexcept;
  route_counts& counts_of(std::uint32_t route) noexcept;
  arena* arena_for(std::uint32_t route) noexcept;
  invocation invocation_of(std::uint32_t route) noexcept;
  [[gnu::always_inline]] std::uint32_t marks_of_stack(const preload::frame_state& caller) noexcept {
    if (epoch_ != process.epoch.load(std::memory_order_relaxed)) [[unlikely]]
      forget_stack();
    recent_ = &recents_.at(caller);
    walked_ = false;
    if (recent_->farthest() != 0 && stack_.can_read(caller.sp, recent_->farthest())) [[likely]] {
      if (const std::uint32_t found = recent_->marks_at(caller)) [[likely]]
        return found;
    }
    return walk(caller);
  }
  [[gnu::noinline]] std::uint32_t walk(const preload::frame_state& caller) noexcept;
  void end_invocation(std::uint32_t route) noexcept;
  void end_invocations_outside(std::uint32_t stack) noexcept;
  void name_survivors(arena& of) noexcept;
  std::uint32_t site_of_caller() noexcept;
  void forget_stack() noexcept;

  std::uint32_t scopes_ = 0;  // of conditions, that are open
  std::uint32_t open_ = 0;    // routes with an invocation of a function under way
  std::uint32_t epoch_;
  thread_counts* counts_ = nullptr;
  arena* current_[most_routes] = {};
  arena* waiting_[most_routes] = {};  // for their last blocks
  std::uint32_t depth_[most_scopes] = {};
  // Of the block that was asked for last.
  preload::frame_state caller_{};
  recent_stack* recent_ = nullptr;
  bool walked_ = false;  // stack_ is of it

  recent_stacks recents_;
  preload::stack_walk stack_;
};

// Small, and in the thread's own part of memory that is there from the start: no entry point may
// have to allocate to find it.
struct thread_words {
  routing_thread* state;
  std::size_t in_new;  // see preload/in_new.hpp
  bool busy;           // inside an entry point, or in the library itself
  bool ended;
};
extern thread_local constinit thread_words this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Threads can be made ready from now on; false when they cannot.
bool open_threads() noexcept;
// The state of this thread, or null where nothing is routed.
[[gnu::cold, gnu::noinline]] routing_thread* make_ready() noexcept;
// In the child of a fork.
void forget_parents_counts() noexcept;

}  // namespace mallard::route
