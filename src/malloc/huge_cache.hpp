// Purpose: mappings of huge blocks that were freed, for blocks of about their size: what a program
// allocates and frees again and again is not taken from the system and given back each time. How
// much may stay is the idle policy's. Thread-safe; nobody waits for anybody.
#pragma once

#include <array>
#include <cstddef>

#include "malloc/idle_policy.hpp"
#include "malloc/lock.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

class huge_cache {
 public:
  // A mapping of at least `bytes`, and at most twice as many; null when there is none.
  region* take(std::size_t bytes) noexcept;
  // Keeps the mapping, or gives it back to the system.
  void give(region* r) noexcept;

  // Gives back what has been here for some seconds; all. Returns the bytes.
  std::size_t decay() noexcept;
  std::size_t trim() noexcept;

  void set_idle_limit(std::size_t bytes) noexcept;
  std::size_t idle_bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  futex_lock& lock() noexcept { return lock_; }

 private:
  struct entry {
    region* r;
    std::size_t bytes;
    unsigned long long since;  // in milliseconds
  };
  static constexpr std::size_t most_entries = 16;
  static constexpr unsigned long long kept_milliseconds = 5000;

  region* remove(std::size_t index) noexcept;
  void note_gone(std::size_t bytes) noexcept;
  void look_for_gone(std::size_t bytes) noexcept;
  // Oldest first, as long as `goes(entry)`.
  template <class Goes>
  std::size_t give_back(Goes&& goes) noexcept;

  futex_lock lock_;
  std::array<entry, most_entries> entries_{};  // the oldest first
  std::size_t count_ = 0;
  std::atomic<std::size_t> bytes_{0};
  // What was given back last, as long as nobody has asked for the like since.
  std::array<std::size_t, most_entries> gone_{};
  std::size_t next_gone_ = 0;
  idle_policy idle_{std::size_t{8} << 20};
};

extern constinit huge_cache the_huge_cache;

}  // namespace mallard::inline v1::detail
