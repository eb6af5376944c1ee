#include "mallard/detail/resources/upstream_lock.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <new>
#include <utility>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/resources/heap_registry.hpp"
#include "mallard/page_source.hpp"

namespace mallard::inline v1::detail {
namespace {

// Locks are made a page at a time, used again, and freed when the code is unloaded.
constexpr std::size_t locks_bytes = 4096;
constinit upstream_lock* all_locks = nullptr;

constinit upstream_lock* locks_root = nullptr;
constinit upstream_lock* unused = nullptr;

// The place in the tree where the lock of this upstream is, or would be.
upstream_lock*& place_of(const std::pmr::memory_resource* upstream) noexcept {
  // Distinct addresses differ in the product, as the factor is odd.
  std::uint64_t ways = address_of(upstream) * std::uint64_t{0x9E3779B97F4A7C15};
  upstream_lock** place = &locks_root;
  for (; *place != nullptr && (*place)->upstream != upstream; ways <<= 1) {
    place = &(*place)->below[ways >> 63];
  }
  return *place;
}

void leave_tree(upstream_lock& lock) noexcept {
  upstream_lock*& place = place_of(lock.upstream);
  upstream_lock** end = &place;
  for (;;) {
    const auto& below = (*end)->below;
    if (below[0] == nullptr && below[1] == nullptr) break;
    end = &(*end)->below[below[0] == nullptr ? 1 : 0];
  }
  upstream_lock* const leaf = *end;
  *end = nullptr;
  if (leaf != &lock) {
    leaf->below = lock.below;
    place = leaf;
  }
}

void add_unused(upstream_lock& lock) noexcept {
  lock.below = {unused, nullptr};
  unused = &lock;
}

void add_locks(void* page) noexcept {
  for (std::size_t at = 0; at + sizeof(upstream_lock) <= locks_bytes; at += sizeof(upstream_lock)) {
    auto* const lock = ::new (static_cast<std::byte*>(page) + at) upstream_lock;
    lock->next = all_locks;
    all_locks = lock;
    add_unused(*lock);
  }
}

upstream_lock& share_lock(const std::pmr::memory_resource* upstream) {
  std::unique_lock hold(registry_lock());
  if (place_of(upstream) == nullptr && unused == nullptr) {
    hold.unlock();
    void* const page = page_source::instance()->allocate(locks_bytes);
    hold.lock();
    add_locks(page);
  }
  upstream_lock*& place = place_of(upstream);
  if (place == nullptr) {
    place = std::exchange(unused, unused->below[0]);
    place->below = {};
    place->upstream = upstream;
  }
  ++place->users;
  return *place;
}

void leave_lock(upstream_lock& lock) noexcept {
  const std::lock_guard hold(registry_lock());
  if (--lock.users != 0) return;
  leave_tree(lock);
  lock.upstream = nullptr;
  lock.start_over();  // for another upstream it is another lock
  add_unused(lock);
}

// The locks of a page are neighbours in the list, the page's first one last.
upstream_lock* take_page() noexcept {
  upstream_lock* lock = all_locks;
  while (lock != nullptr && address_of(lock) % locks_bytes != 0) lock = lock->next;
  all_locks = lock == nullptr ? nullptr : lock->next;
  return lock;
}

template <class Do>
void for_each_lock(Do&& what) {
  for (upstream_lock* lock = all_locks; lock != nullptr; lock = lock->next) what(*lock);
}

}  // namespace

bool upstream_lock::is_mine() const noexcept {
  return owner_.load(std::memory_order_relaxed) == this_thread_name();
}

void upstream_lock::lock() noexcept {
  if (is_mine()) {
    ++depth_;
    return;
  }
  mutex_.lock();
  owner_.store(this_thread_name(), std::memory_order_relaxed);
}

bool upstream_lock::try_lock() noexcept {
  if (!is_mine() && !mutex_.try_lock()) return false;
  if (is_mine()) {
    ++depth_;
  } else {
    owner_.store(this_thread_name(), std::memory_order_relaxed);
  }
  return true;
}

void upstream_lock::unlock() noexcept {
  if (depth_ != 0) {
    --depth_;
    return;
  }
  owner_.store(nullptr, std::memory_order_relaxed);
  mutex_.unlock();
}

void upstream_lock::start_over() noexcept {
  owner_.store(nullptr, std::memory_order_relaxed);
  depth_ = 0;
  pthread_mutex_destroy(mutex_.native_handle());
  ::new (&mutex_) std::mutex;
}

locked_upstream::locked_upstream(std::pmr::memory_resource* to) noexcept
    : to_(to), safe_(to == page_source::instance() || to == std::pmr::new_delete_resource()) {}

locked_upstream::~locked_upstream() {
  if (upstream_lock* const mine = lock_.load(std::memory_order_relaxed)) leave_lock(*mine);
}

upstream_lock& locked_upstream::lock() {
  if (upstream_lock* const mine = lock_.load(std::memory_order_acquire)) return *mine;
  upstream_lock& shared = share_lock(to_);
  upstream_lock* before = nullptr;
  // Another thread may have been faster; the lock is the same, and counted twice.
  if (!lock_.compare_exchange_strong(before, &shared, std::memory_order_acq_rel)) {
    leave_lock(shared);
  }
  return shared;
}

void* locked_upstream::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::lock_guard hold(lock());
  return to_->allocate(bytes, alignment);
}

void locked_upstream::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  const std::lock_guard hold(lock());
  to_->deallocate(p, bytes, alignment);
}

void drop_unused_locks() noexcept {
  std::unique_lock hold(registry_lock());
  for (const upstream_lock* lock = all_locks; lock != nullptr; lock = lock->next) {
    if (lock->users != 0) return;
  }
  unused = nullptr;
  while (upstream_lock* const page = take_page()) {
    hold.unlock();
    page_source::instance()->deallocate(page, locks_bytes);
    hold.lock();
  }
}

void hold_upstreams_for_fork() noexcept {
  constexpr int patience = 1000;
  for_each_lock([](upstream_lock& lock) {
    if (lock.upstream == nullptr) return;
    for (int i = 0; i < patience && !lock.held_for_fork; ++i) {
      lock.held_for_fork = lock.try_lock();
      if (!lock.held_for_fork) sched_yield();
    }
  });
}

void let_upstreams_go() noexcept {
  for_each_lock([](upstream_lock& lock) {
    if (lock.held_for_fork) lock.unlock();
    lock.held_for_fork = false;
  });
}

void let_upstreams_go_in_child() noexcept {
  for_each_lock([](upstream_lock& lock) {
    // Its holder no longer exists.
    if (lock.upstream != nullptr && !lock.held_for_fork && !lock.is_mine()) lock.start_over();
  });
  let_upstreams_go();
}

}  // namespace mallard::inline v1::detail
