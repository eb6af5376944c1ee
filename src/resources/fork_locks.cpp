#include "mallard/detail/resources/fork_locks.hpp"

#include <pthread.h>

#include "mallard/detail/resources/shared_chunks.hpp"

namespace mallard::inline v1::detail {
namespace {

// Never destroyed: the program may fork while its static objects are.
union list_holder {
  std::mutex lock;
  constexpr list_holder() noexcept : lock() {}
  ~list_holder() {}
};
constinit list_holder list;
constinit fork_lock* locks = nullptr;

void before_fork() {
  list.lock.lock();
  for (fork_lock* lock = locks; lock != nullptr; lock = lock->next) lock->mutex.lock();
}

void after_fork() {
  for (fork_lock* lock = locks; lock != nullptr; lock = lock->next) lock->mutex.unlock();
  list.lock.unlock();
}

}  // namespace

void hold_across_fork(fork_lock& lock) noexcept {
  // The page source's lock is taken under these: its handlers have to be there first.
  static const int registered =
      (hold_chunks_across_fork(), pthread_atfork(before_fork, after_fork, after_fork));
  static_cast<void>(registered);
  const std::lock_guard hold(list.lock);
  lock.next = locks;
  locks = &lock;
}

}  // namespace mallard::inline v1::detail
