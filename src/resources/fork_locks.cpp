#include "mallard/detail/resources/fork_locks.hpp"

#include "mallard/detail/os/fork.hpp"
#include "mallard/detail/resources/shared_chunks.hpp"

namespace mallard::inline v1::detail {
namespace {

// Never destroyed: the program may fork while its static objects are.
union known_locks {
  std::mutex lock;
  constexpr known_locks() noexcept : lock() {}
  ~known_locks() {}
};
constinit known_locks known;
constinit fork_lock* locks = nullptr;

void lock_all() {
  known.lock.lock();
  for (fork_lock* lock = locks; lock != nullptr; lock = lock->next) lock->mutex.lock();
}

void unlock_all() {
  for (fork_lock* lock = locks; lock != nullptr; lock = lock->next) lock->mutex.unlock();
  known.lock.unlock();
}

void hold_across_fork() noexcept {
  // The page source's lock is taken under these: its handlers must be registered first.
  hold_chunks_across_fork();
  static constinit os::fork_handlers handlers{lock_all, unlock_all, unlock_all};
  handlers.register_once();
}

[[maybe_unused]] const bool list_held_from_load = (hold_across_fork(), true);

}  // namespace

void* shared_object::make_once(void* storage, fork_lock& (*make)(void*)) noexcept {
  hold_across_fork();
  const std::lock_guard hold(known.lock);
  if (made_.load(std::memory_order_relaxed) == nullptr) {
    fork_lock& lock = make(storage);
    lock.next = locks;
    locks = &lock;
    made_.store(storage, std::memory_order_release);
  }
  return storage;
}

}  // namespace mallard::inline v1::detail
