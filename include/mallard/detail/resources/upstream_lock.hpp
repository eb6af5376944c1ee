// Purpose: upstreams that are not known to be thread-safe are called by one thread at a time.
//
// There is one lock for each upstream, which all resources over it share, and no other lock of the
// library is held while an upstream runs: it may lock, throw, use other resources, or call back.
// The lock is reentrant, because it may call back into a resource over itself.
//
// The locks in use are the nodes of a digital search tree by the upstream's hashed address: each
// bit of the hash says which way is down. So a lock is found in about as many steps as the
// logarithm of their number, and the tree needs no memory of its own and never has to be rebuilt.
// Any leaf below a lock that leaves can take its place, as its hash begins with the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <mutex>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

class upstream_lock {
 public:
  void lock() noexcept;
  bool try_lock() noexcept;
  void unlock() noexcept;
  bool is_mine() const noexcept;
  // Forgets a thread that held it and is not there any more.
  void start_over() noexcept;

  // Guarded by the registry's lock.
  const std::pmr::memory_resource* upstream = nullptr;  // null: of nobody now
  upstream_lock* next = nullptr;                        // of all
  std::array<upstream_lock*, 2> below{};  // in the tree; unused ones: the next of them first
  std::uint32_t users = 0;
  bool held_for_fork = false;

 private:
  std::mutex mutex_;
  atomic<const void*> owner_{nullptr};  // names a thread
  std::uint32_t depth_ = 0;             // of the owner, beyond the first
};

// An upstream that is called under its lock.
class MALLARD_API locked_upstream final : public std::pmr::memory_resource {
 public:
  explicit locked_upstream(std::pmr::memory_resource* to) noexcept;
  locked_upstream(const locked_upstream&) = delete;
  locked_upstream& operator=(const locked_upstream&) = delete;
  ~locked_upstream() override;

  std::pmr::memory_resource* to() const noexcept { return to_; }

  // The resource to call: this, or the upstream itself if that is known to be thread-safe.
  std::pmr::memory_resource* source() noexcept {
    return safe_ ? to_ : static_cast<std::pmr::memory_resource*>(this);
  }

 private:
  upstream_lock& lock();

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::pmr::memory_resource* to_;
  bool safe_;
  atomic<upstream_lock*> lock_{nullptr};  // null until the first request
};

// Gives the memory of the locks back if nobody uses one. For code that is unloaded.
void drop_unused_locks() noexcept;

// Around a fork, under the registry's lock. A thread that stays in an upstream is not waited for,
// as it may be waiting for the one that forks: then the child finds the upstream as it was left.
void hold_upstreams_for_fork() noexcept;
void let_upstreams_go() noexcept;
void let_upstreams_go_in_child() noexcept;

}  // namespace mallard::inline v1::detail
