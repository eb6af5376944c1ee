// Purpose: lets only one thread at a time call an upstream that is not known to be thread-safe.
//
// Each upstream has one lock, which all resources over it share. No other lock of the library is
// held while an upstream runs: it may lock, throw, use other resources, or call back. The lock is
// reentrant, because the upstream may call back into a resource over itself.
//
// The locks in use are the nodes of a digital search tree, keyed by the hash of the upstream's
// address: each bit selects a branch. A search takes about as many steps as the logarithm of their
// number, and the tree needs no memory of its own and is never rebuilt. When a lock leaves, any
// leaf below it can take its place, because its hash begins with the same bits.
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
  // Forgets a holder that no longer exists.
  void start_over() noexcept;

  // Guarded by the registry's lock.
  const std::pmr::memory_resource* upstream = nullptr;  // null: of nobody now
  upstream_lock* next = nullptr;                        // of all
  std::array<upstream_lock*, 2> below{};  // in the tree; an unused one's first: the next unused
  std::uint32_t users = 0;
  bool held_for_fork = false;

 private:
  std::mutex mutex_;
  atomic<const void*> owner_{nullptr};  // identifies a thread
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

// Frees the locks if nobody uses one. For code that is unloaded.
void drop_unused_locks() noexcept;

// Around a fork, under the registry's lock. A thread that stays in an upstream is not waited for:
// it may be waiting for the one that forks. The child then finds the upstream as it was left.
void hold_upstreams_for_fork() noexcept;
void let_upstreams_go() noexcept;
void let_upstreams_go_in_child() noexcept;

}  // namespace mallard::inline v1::detail
