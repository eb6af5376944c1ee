// Purpose: the modules of the frames seen so far. Each is sent once, before the first of its
// frames, so we need neither the dynamic linker's list nor its locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "unwind/module_of.hpp"

namespace mallard::recorder {

using unwind::module_of;
using unwind::module_range;

class known_modules {
 public:
  // Whether the address lies in a known module. Any thread may ask at any time.
  bool has(std::uint64_t ip) const noexcept {
    const std::uint32_t count = count_.load(std::memory_order_acquire);
    const std::uint32_t last = last_.load(std::memory_order_relaxed);
    if (last < count && inside(last, ip)) return true;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (inside(i, ip)) {
        last_.store(i, std::memory_order_relaxed);
        return true;
      }
    }
    return false;
  }

  // Returns: false if another thread has added it, or there is no room.
  bool add(const module_range& found) noexcept;

  // Calls gone(load bias) for each module that is no longer loaded, and removes it.
  template <class Gone>
  void remove_unloaded(Gone&& gone) noexcept {
    lock();
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count; ++i) {
      entry& one = entries_[i];
      const std::uint64_t start = one.start.load(std::memory_order_relaxed);
      if (start == 0 || module_of(start).module == one.module) continue;
      one.start.store(0, std::memory_order_relaxed);
      one.end.store(0, std::memory_order_relaxed);
      gone(one.bias);
    }
    unlock();
  }

  // For the child of a fork: nothing was sent yet, and nobody holds the lock.
  void start_over() noexcept {
    count_.store(0, std::memory_order_relaxed);
    locked_.store(false, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t most = 2048;
  struct entry {
    std::atomic<std::uint64_t> start;
    std::atomic<std::uint64_t> end;
    const link_map* module = nullptr;
    std::uint64_t bias = 0;  // a copy: the module's own record is gone when it is unloaded
  };

  bool inside(std::uint32_t i, std::uint64_t ip) const noexcept {
    const std::uint64_t start = entries_[i].start.load(std::memory_order_relaxed);
    return ip >= start && ip < entries_[i].end.load(std::memory_order_relaxed);
  }
  void lock() noexcept;
  void unlock() noexcept;

  std::atomic<bool> locked_{false};
  std::atomic<std::uint32_t> count_{0};
  mutable std::atomic<std::uint32_t> last_{0};
  entry entries_[most] = {};
};

}  // namespace mallard::recorder
