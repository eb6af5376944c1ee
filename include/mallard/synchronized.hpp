// Purpose: a lock around any resource, for threads that share one and call it seldom.
//
//   mallard::synchronized<mallard::monotonic_resource> shared(64 * 1024);
//   std::jthread other([&] { std::pmr::vector<int> theirs(100, &shared); });
//   std::pmr::vector<int> mine(100, &shared);
//   shared.with([](mallard::monotonic_resource& arena) { arena.stats(); });
//
// Complexity: as the resource, plus a mutex for every call. Thread-safety: any thread may call all
// members. A fork while another thread is in a call leaves the child's copy locked.
//
// For threads that allocate often there are synchronized_multipool_resource and
// synchronized_heap_resource, which allocate small blocks without a lock.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <utility>

#include "mallard/bindable.hpp"
#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/detail/resources/by_base.hpp"

namespace mallard::inline v1 {

// Owns the resource, and calls its upstream under the lock.
template <bindable_resource R>
class synchronized final : public detail::by_base<synchronized<R>> {
 public:
  using resource_type = R;

  // Effects: constructs the resource from the arguments.
  template <class... Args>
    requires std::constructible_from<R, Args...>
  explicit synchronized(Args&&... args) : resource_(std::forward<Args>(args)...) {}
  synchronized(const synchronized&) = delete;
  synchronized& operator=(const synchronized&) = delete;
  ~synchronized() override = default;

  // Effects and errors: those of the resource's verbs; std::bad_alloc for sizes beyond any object.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    const std::lock_guard hold(lock_);
    return detail::allocate_from(resource_, bytes, alignment);
  }
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept
    requires requires(R& r) { r.try_allocate(bytes, alignment); }
  {
    const std::lock_guard hold(lock_);
    return resource_.try_allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept {
    const std::lock_guard hold(lock_);
    resource_.deallocate(p, bytes, alignment);
  }

  // Effects: calls `what(resource)` under the lock, for all other verbs. Returns its result.
  template <class Do>
  decltype(auto) with(Do&& what) {
    const std::lock_guard hold(lock_);
    return std::forward<Do>(what)(resource_);
  }

  std::pmr::memory_resource* upstream_resource() const noexcept
    requires requires(const R& r) { r.upstream_resource(); }
  {
    return resource_.upstream_resource();
  }

 private:
  std::mutex lock_;
  R resource_;
};

}  // namespace mallard::inline v1
