#include "route/preload/process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>

#include "route/preload/map_zeros.hpp"
#include "route/preload/thread.hpp"

namespace mallard::route {

constinit process_holder the_process{};

bool process_state::open_once() noexcept {
  const char* const path = getenv(session_kind.variable);
  if (path == nullptr) return false;
  all = static_cast<session*>(preload::map_session(path, session_kind, sizeof(session)));
  if (all == nullptr) return false;
  void* const memory = map_zeros(arena_stride * most_arenas);
  if (memory == nullptr || !rules.open() || !addresses.open(*all) || !range.open() ||
      (all->names_survivors && !range.remember_sites())) {
    all->no_address_space.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  arenas_ = static_cast<std::byte*>(memory);
  served = all->by;
  epoch_ = epoch();
  const server common = served == serving::malloc ? server::malloc : server::resource;
  if (!open_threads()) return false;
  // Before the resources register theirs: those are to run first, as they lock first.
  hold_across_fork();
  for (std::uint32_t i = 0; i < all->route_count; ++i) {
    const route_rule& rule = all->routes[i];
    if (is_scoped(i)) continue;
    const strategy shared = facts_of(rule.how).shared_as;
    alone_[i] = new_arena(i, rule.how, common);
    together_[i] = shared == rule.how ? alone_[i] : new_arena(i, shared, common);
  }
  return true;
}

void process_state::hold_across_fork() noexcept {
  pthread_atfork(
      [] {
        process.lock_.lock();
        for (std::mutex& one : process.locks) one.lock();
        process.range.lock();
      },
      [] {
        process.range.unlock();
        for (std::mutex& one : process.locks) one.unlock();
        process.lock_.unlock();
      },
      [] {
        process.range.unlock();
        for (std::mutex& one : process.locks) one.unlock();
        process.lock_.unlock();
        forget_parents_counts();
      });
}

void process_state::forget_addresses() noexcept {
  if (!is_open()) return;
  rules.clear();
  addresses.clear();
  epoch_ = all->epoch.fetch_add(1, std::memory_order_release) + 1;
}

void process_state::take_marks(std::uint32_t epoch) noexcept {
  if (epoch_.exchange(epoch, std::memory_order_relaxed) != epoch) addresses.clear();
}

void process_state::hold(std::uint32_t route, std::size_t bytes) noexcept {
  const std::size_t now = held_[route].fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t peak = peak_[route].load(std::memory_order_relaxed);
  while (peak < now && !peak_[route].compare_exchange_weak(peak, now)) {
  }
  std::uint64_t of_all = all->peak_bytes[route].load(std::memory_order_relaxed);
  while (of_all < now && !all->peak_bytes[route].compare_exchange_weak(of_all, now)) {
  }
}

arena* process_state::new_arena(std::uint32_t route, strategy kind, server by) noexcept {
  // 0 is nobody.
  const std::uint32_t number = arena_count_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number >= most_arenas) {
    arena_count_.store(most_arenas, std::memory_order_relaxed);
    return nullptr;
  }
  return ::new (static_cast<void*>(arenas_ + std::size_t{number} * arena_stride))
      arena(number, route, kind, by);
}

arena* process_state::take_arena(std::uint32_t route, server by) noexcept {
  constexpr int most_looked_at = 16;
  {
    const std::lock_guard hold(lock_);
    for (int i = 0; i < most_looked_at; ++i) {
      arena* const found = left_[route].take_first();
      if (found == nullptr) break;
      if (found->live() == 0 && found->served_by() == by) {
        found->reset();
        return found;
      }
      left_[route].add(*found);
    }
  }
  return new_arena(route, all->routes[route].how, by);
}

void process_state::leave_arena(arena& left) noexcept {
  left.set_thread(nullptr);
  const std::lock_guard hold(lock_);
  arena_queue& all_left = left_[left.route()];
  if (left.live() == 0) {
    all_left.add_first(left);
  } else {
    all_left.add(left);
  }
}

routing_thread* process_state::take_left_thread() noexcept {
  const std::lock_guard hold(lock_);
  routing_thread* const found = left_threads_;
  if (found != nullptr) left_threads_ = found->next;
  return found;
}

void process_state::leave_thread(routing_thread& left) noexcept {
  const std::lock_guard hold(lock_);
  left.next = left_threads_;
  left_threads_ = &left;
}

}  // namespace mallard::route
