#include "recorder/preload/known_modules.hpp"

#include <sched.h>

namespace mallard::recorder {

bool known_modules::add(const module_range& found) noexcept {
  lock();
  const std::uint32_t count = count_.load(std::memory_order_relaxed);
  std::uint32_t at = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t start = entries_[i].start.load(std::memory_order_relaxed);
    if (start == found.start) {
      unlock();
      return false;
    }
    if (start == 0) at = i;
  }
  const bool room = at < most;
  if (room) {
    entries_[at].module = found.module;
    entries_[at].bias = found.module->l_addr;
    entries_[at].end.store(found.end, std::memory_order_relaxed);
    entries_[at].start.store(found.start, std::memory_order_relaxed);
    if (at == count) count_.store(count + 1, std::memory_order_release);
  }
  unlock();
  return room;
}

void known_modules::lock() noexcept {
  while (locked_.exchange(true, std::memory_order_acquire)) sched_yield();
}

void known_modules::unlock() noexcept {
  locked_.store(false, std::memory_order_release);
}

}  // namespace mallard::recorder
