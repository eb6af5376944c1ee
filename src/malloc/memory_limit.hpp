// Purpose: how much memory may be taken from the system, and how much is.
#pragma once

#include <atomic>
#include <cstddef>

namespace mallard::inline v1::detail {

class memory_limit {
 public:
  // False when it would be too much; then nobody else is refused anything for it.
  bool take(std::size_t bytes) noexcept {
    const std::size_t limit = limit_.load(std::memory_order_relaxed);
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used > limit || bytes > limit - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void give(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  void set(std::size_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> limit_{~std::size_t{0}};
};

inline constinit memory_limit the_limit;

}  // namespace mallard::inline v1::detail
