// Purpose: how much memory may be taken from the system, and how much is. What is taken is counted
// while there is a limit.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::inline v1::detail {

class memory_limit {
 public:
  static constexpr std::size_t none = SIZE_MAX;
  bool is_set() const noexcept { return limit_.load(std::memory_order_relaxed) != none; }

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

  // Takes as well what was taken before without being counted.
  void set(std::size_t bytes, std::size_t uncounted) noexcept {
    if (!is_set()) used_.fetch_add(uncounted, std::memory_order_relaxed);
    limit_.store(bytes, std::memory_order_relaxed);
    if (!is_set()) give(uncounted);
  }

 private:
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> limit_{none};
};

}  // namespace mallard::inline v1::detail
