// Purpose: how much memory may be taken from the system, and how much is.
#pragma once

#include <atomic>
#include <cstddef>

namespace mallard::inline v1::detail {

class memory_limit {
 public:
  // False when it would be too much.
  bool take(std::size_t bytes) noexcept {
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= limit_.load(std::memory_order_relaxed)) return true;
    give(bytes);
    return false;
  }
  void give(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  void set(std::size_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> limit_{~std::size_t{0}};
};

inline constinit memory_limit the_limit;

}  // namespace mallard::inline v1::detail
