// Purpose: the growing blocks of a heap that many threads use: one of them at a time.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <mutex>

#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/growing_blocks.hpp"
#include "mallard/detail/resources/heap_registry.hpp"
#include "mallard/detail/resources/synchronized_heaps.hpp"

namespace mallard::inline v1::detail {

class locked_blocks {
 public:
  // The lock is that of `heaps`, which is held across a fork.
  locked_blocks(std::pmr::memory_resource* upstream, synchronized_heaps& heaps) noexcept
      : blocks_(upstream),
        upstream_is_safe_(is_thread_safe(upstream)),
        lock_(heaps.large_blocks_lock()) {}

  // Calls `what(growing_blocks&)` under the lock. An upstream that is called under the registry's
  // lock elsewhere is so here; that lock comes first.
  template <class Do>
  auto with(Do&& what) {
    std::unique_lock first(registry_lock(), std::defer_lock);
    if (!upstream_is_safe_) first.lock();
    const std::lock_guard hold(lock_);
    return what(blocks_);
  }

 private:
  growing_blocks blocks_;
  bool upstream_is_safe_;
  std::mutex& lock_;
};

}  // namespace mallard::inline v1::detail
