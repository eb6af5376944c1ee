// Purpose: the routes in this process: the session, the range of routed blocks, the arenas, and
// what all threads have in common.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "route/preload/address_cache.hpp"
#include "route/preload/arena.hpp"
#include "route/preload/block_codes.hpp"
#include "route/preload/routed_range.hpp"
#include "route/session.hpp"
#include "unwind/rule_cache.hpp"

namespace mallard::route {

inline constexpr std::uint32_t most_arenas = 1 << 16;

class routing_thread;

class process_state {
 public:
  // Effects: at the first call, reads what is to be routed, if the environment says so. Returns:
  // whether anything is.
  bool open() noexcept {
    return gate_.open_once([this] { return open_once(); });
  }
  bool is_open() const noexcept { return gate_.is_open(); }

  // A module was unloaded: addresses may mean other functions.
  void forget_addresses() noexcept;
  // Another number when addresses mean something else, or have other marks.
  std::uint32_t epoch() const noexcept { return all->epoch.load(std::memory_order_acquire); }
  // Effects: marks that addresses got until this epoch count from now on.
  void take_marks(std::uint32_t epoch) noexcept;

  // Memory that a route's resources hold, and the most that it has been.
  void hold(std::uint32_t route, std::size_t bytes) noexcept;
  void let_go(std::uint32_t route, std::size_t bytes) noexcept {
    held_[route].fetch_sub(bytes, std::memory_order_relaxed);
  }

  arena& arena_at(std::uint32_t number) noexcept {
    return *static_cast<arena*>(static_cast<void*>(arenas_ + std::size_t{number} * arena_stride));
  }
  // Whose a routed block is. Of those that a malloc serves, wherever they lie, their codes say
  // that.
  arena& owner_of(const void* block) noexcept {
    return arena_at(range.has(block) ? range.owner_of(block) : codes.at(block));
  }
  // In turns, pools have an invocation's blocks, too; they are kept from one to the next.
  bool is_scoped(std::uint32_t route) const noexcept {
    return served == serving::in_turns || all->routes[route].is_scoped();
  }
  // For a route by scope: one that is empty. Null when there are too many.
  arena* take_arena(std::uint32_t route, server by) noexcept;
  // For others to take when nothing lives in them.
  void leave_arena(arena& left) noexcept;
  // A thread that has ended leaves its state to the next one. Null: there is none.
  routing_thread* take_left_thread() noexcept;
  void leave_thread(routing_thread& left) noexcept;
  // For any other route: the one that serves now.
  arena* common_arena(std::uint32_t route) noexcept {
    return __libc_single_threaded != 0 ? alone_[route] : together_[route];
  }

  session* all = nullptr;
  routed_range range;
  block_codes codes;
  unwind::rule_cache rules;
  address_cache addresses;
  serving served = serving::resources;  // as the session said when this process began
  std::mutex locks[most_routes];        // of what is common and not synchronized by itself

 private:
  static constexpr std::size_t arena_stride = (sizeof(arena) + 63) & ~std::size_t{63};

  bool open_once() noexcept;
  arena* new_arena(std::uint32_t route, strategy kind, server by) noexcept;
  void hold_across_fork() noexcept;

  preload::session_gate gate_;
  std::byte* arenas_ = nullptr;
  std::atomic<std::uint32_t> epoch_{0};  // of the addresses that are known here
  std::atomic<std::uint32_t> arena_count_{0};
  std::mutex lock_;  // of the lists
  arena_queue left_[most_routes];
  routing_thread* left_threads_ = nullptr;
  arena* alone_[most_routes] = {};  // common to threads, without locks of their own
  arena* together_[most_routes] = {};
  std::atomic<std::size_t> held_[most_routes] = {};
  std::atomic<std::size_t> peak_[most_routes] = {};
};

// Never destroyed: blocks are freed after the program's static objects are.
union process_holder {
  process_state state;
  constexpr process_holder() noexcept : state() {}
  ~process_holder() {}
};
extern process_holder the_process;
inline constinit process_state& process = the_process.state;

inline void* arena::allocate(block_shape shape, const block_request& asked) noexcept {
  if (by_ == server::malloc) {
    void* const block = allocate_by_malloc(shape, asked);
    // A block that cannot be known as its own is the program's.
    const bool is_known = block != nullptr && number_ <= block_codes::most_owners &&
                          process.codes.set_byte(block, number_);
    if (is_known && is_scoped_) ++born_;
    return block;
  }
  if (returned_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    take_back();
  void* const block = server_->allocate(shape, asked);
  if (block == nullptr) return nullptr;
  if (is_scoped_) ++born_;  // others are of several threads
  process.codes.set(block, shape);
  return block;
}

// A resource of one thread hears of no other's; a malloc serves all.
inline void arena::deallocate(void* block, block_shape shape, bool by_delete,
                              const void* thread) noexcept {
  process.codes.clear(block);
  if (by_ == server::malloc) {
    free_by_malloc(block, by_delete);
    return count_out(thread);
  }
  if (is_scoped_ && !is_of(thread)) {
    if (takes_back_ && shape.alignment <= granule) return give_to_its_thread(block, shape.bytes);
    return count_out(thread);
  }
  server_->deallocate(block, shape);
  count_out(thread);
}

}  // namespace mallard::route
