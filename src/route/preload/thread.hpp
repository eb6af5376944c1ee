// Purpose: a thread's part in routing: its stack, the scopes it is in, its arenas, its counts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/stack_walk.hpp"
#include "route/preload/arena.hpp"
#include "route/preload/process.hpp"
#include "route/preload/recent_stacks.hpp"
#include "route/preload/turns.hpp"
#include "route/session.hpp"
#include "unwind/frame_rule.hpp"

namespace mallard::route {

class routing_thread {
 public:
  // Effects: is that of the thread that calls, instead of one that has left it, or of none.
  void begin() noexcept;
  routing_thread* next = nullptr;  // in the list of those that were left

  // The facts about a block's route that can be told at once.
  enum class standing : std::uint8_t {
    passes,   // it takes none
    matches,  // one fits the stack, which is known: route_here() says whether it fits the block
    unknown,  // route_of() has to find out
  };
  [[gnu::always_inline]] standing look(std::size_t bytes,
                                       const unwind::frame_state& caller) noexcept {
    if (bytes - smallest_ >= sizes_) return standing::passes;
    if (epoch_ != process.epoch()) [[unlikely]]
      return standing::unknown;
    if (is_in_frame(caller.sp)) {
      recent_ = nullptr;
      return in_frame_;
    }
    recent_stack* const known = recents_.find(caller, sight_);
    if (known == nullptr) return standing::unknown;
    if ((open_ & ~known->answer().inside) != 0) [[unlikely]]
      return standing::unknown;
    recent_ = known;
    return known->answer().routes == 0 ? standing::passes : standing::matches;
  }
  // The route that a block takes; -1: none.
  int route_of(std::size_t bytes, const unwind::frame_state& caller) noexcept;
  // The same where look() has just found a match.
  [[gnu::always_inline]] int route_here(std::size_t bytes,
                                        const unwind::frame_state& caller) noexcept {
    walked_ = false;
    const std::uint32_t routes = recent_ == nullptr ? 1 : recent_->answer().routes;
    return choose(fitting(bytes) & routes, caller);
  }

  // A block of that route, for the caller that was asked about last; null: it cannot serve it.
  [[gnu::always_inline]] void* allocate(std::uint32_t route, const block_request& asked) noexcept {
    route_counts& counts = counts_of(route);
    void* block = nullptr;
    const bool is_alignment = (asked.alignment & (asked.alignment - 1)) == 0;
    arena* const from =
        asked.bytes < PTRDIFF_MAX && asked.alignment <= largest_alignment && is_alignment
            ? arena_for(route)
            : nullptr;
    if (from != nullptr) [[likely]]
      block = from->allocate(shape_of(asked.bytes, asked.alignment), asked);
    if (block == nullptr) [[unlikely]] {
      add_to(counts.passed_on, 1);
      return nullptr;
    }
    add_to(counts.blocks, 1);
    add_to(counts.bytes, asked.bytes);
    if (process.all->names_survivors) [[unlikely]]
      process.range.set_site(block, site_of_caller());
    return block;
  }
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
  [[gnu::cold]] thread_counts* find_counts() noexcept;
  route_counts& counts_of(std::uint32_t route) noexcept {
    if (counts_ == nullptr) [[unlikely]]
      counts_ = find_counts();
    return counts_->of[route];
  }
  [[gnu::always_inline]] arena* arena_for(std::uint32_t route) noexcept {
    const route_rule& rule = process.all->routes[route];
    if (!process.is_scoped(route)) return process.common_arena(route);
    return rule.scopes == 0 ? arena_of_function(route) : arena_of_scope(route);
  }
  arena* arena_of_scope(std::uint32_t route) noexcept;
  [[gnu::always_inline]] arena* arena_of_function(std::uint32_t route) noexcept {
    if (recent_ != nullptr && !walked_) [[likely]] {
      const found_scope& known = recent_->scope();
      if (known.route == route + 1 && known.turn == turn_ &&
          (!known.may_be_first || known.of->live() != 0)) [[likely]] {
        return known.of;
      }
    }
    return find_arena_of_function(route);
  }
  arena* find_arena_of_function(std::uint32_t route) noexcept;
  // One that is empty, of the one that serves now; null: there are too many.
  arena* take_arena(std::uint32_t route) noexcept;
  arena* arena_of_frame(std::uint32_t route) noexcept;
  // Inside the call of the only route's function in which a walk was last, or one from the same
  // place: its return address is where it was, further out on the stack that the walk was on. This
  // is for stacks too many to be remembered, as a recursive function has below it.
  bool is_in_frame(std::uint64_t sp) const noexcept {
    return frame_place_ > sp && stack_.has_read(sp) && stack_.has_read(frame_place_) &&
           *reinterpret_cast<const std::uint64_t*>(frame_place_) == frame_value_;
  }
  void note_frame() noexcept;
  invocation invocation_of(std::uint32_t route) noexcept;
  // The routes that fit a block, by what is known without the stack.
  std::uint32_t fitting(std::size_t bytes) const noexcept {
    return fits_any_size_ != 0 ? fits_any_size_ : fitting_size(bytes);
  }
  std::uint32_t fitting_size(std::size_t bytes) const noexcept;
  // The sizes of blocks for which anything has to be looked at.
  void find_sizes() noexcept;
  stack_answer answer_of(const unwind::frame_state& caller) noexcept;
  stack_answer walk(const unwind::frame_state& caller) noexcept;
  // The walk was on the stack that the thread is on.
  void has_entered() noexcept;
  int choose(std::uint32_t fitting, const unwind::frame_state& caller) noexcept {
    if (fitting == 0) return -1;
    caller_ = caller;
    return __builtin_ctz(fitting);
  }
  void end_invocation(std::uint32_t route) noexcept;
  void end_invocations_outside(std::uint32_t inside) noexcept;
  void name_survivors(arena& of) noexcept;
  std::uint32_t site_of_caller() noexcept;
  void forget_stack() noexcept;

  // look() reads these.
  std::uint64_t smallest_ = 0;
  std::uint64_t sizes_ = 0;  // so many from there on; 0: none
  std::uint32_t epoch_ = 0;
  // The stack that the thread is on, of those of its coroutines: what is remembered of another one
  // may be gone.
  std::uint32_t sight_ = 1;
  std::uint32_t open_ = 0;         // routes with an invocation of a function under way
  std::uint64_t frame_place_ = 0;  // 0: none is known, or there is no such route
  std::uint64_t frame_value_ = 0;
  standing in_frame_ = standing::matches;
  bool has_frames_ = false;

  std::uint32_t scopes_ = 0;         // of conditions, that are open
  std::uint32_t fits_any_size_ = 0;  // the routes, where none of them asks for a size; else 0
  std::uint32_t turn_ = 1;           // another one whenever an invocation has another arena
  std::uint32_t stacks_entered_ = 0;
  thread_counts* counts_ = nullptr;
  arena* current_[most_routes] = {};
  arena_queue waiting_[most_routes];  // for their last blocks
  turns turns_[most_routes];          // in a run in turns
  arena* resting_[most_routes] = {};  // the arena of the one whose turn it is not
  std::uint32_t depth_[most_scopes] = {};
  // About the block that was asked for last.
  unwind::frame_state caller_{};
  recent_stack* recent_ = nullptr;  // null: it is in the frame
  bool walked_ = false;             // stack_ is of it

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
