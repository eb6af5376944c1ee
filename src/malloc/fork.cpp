// Before a fork its thread takes all locks, so that the child finds everything whole; after it, it
// gives them back. In between it may allocate, as other handlers of the fork do: to it the locks
// are open.
//
// A signal handler may fork as well, whatever its thread is in the middle of.
//
// Of a fork: what the child needs is taken, and the fork that was interrupted goes on in parent and
// child. There is nothing to do.
//
// Of malloc, in a process of one thread: the handler returns to malloc in parent and child, and
// there the locks that it holds are given back. There is nothing to do either.
//
// Of malloc, beside other threads: a lock that is taken may be this thread's own, or that of one
// that waits for this thread's. What is not free for some time is left; in the child POSIX allows
// little then, and malloc is not among it.
#include "malloc/fork.hpp"

#include <pthread.h>
#include <sched.h>

#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/os/threads.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/slow_path.hpp"
#include "malloc/user_heap.hpp"

namespace mallard::inline v1::detail {
namespace {

struct fork_progress {
  // Which locks this thread has taken for a fork, and `begun`. One word, so that a signal handler
  // finds all of it or nothing.
  volatile unsigned taken;
  // Forks of signal handlers that have interrupted this one.
  volatile unsigned inner;
  unsigned long long waits_until;  // as `os::milliseconds` has it
};
[[gnu::tls_model("initial-exec")]] constinit thread_local fork_progress forking{};

// In the order in which threads take them. Those of users' heaps come before them, as one, and then
// those of threads' heaps with that of their list.
constexpr std::size_t lock_count = malloc_pages::lock_count;
constexpr unsigned bit_of(std::size_t i) noexcept {
  return 1u << i;
}
constexpr unsigned users_heaps = bit_of(lock_count);
constexpr unsigned threads_heaps = bit_of(lock_count + 1);
constexpr unsigned begun = bit_of(lock_count + 2);

bool take(futex_lock& lock) noexcept {
  lock.acquire();
  return true;
}

bool take_if_free(futex_lock& lock) noexcept {
  while (!lock.try_acquire()) {
    if (os::milliseconds() > forking.waits_until) return false;
    sched_yield();
  }
  return true;
}

unsigned take_all(bool (*take_one)(futex_lock&) noexcept) noexcept {
  unsigned taken = user_heap::lock_all(take_one) ? users_heaps : 0;
  if (the_heaps.lock_heaps(take_one)) taken |= threads_heaps;
  for (std::size_t i = 0; i < lock_count; ++i) {
    if (take_one(the_pages.lock_at(i))) taken |= bit_of(i);
  }
  return taken;
}

void before_fork() {
  if (forking.taken != 0) {
    forking.inner = forking.inner + 1;
    return;
  }
  const slow_path here;
  unsigned taken = 0;
  if (!here.nested()) {
    taken = take_all(take);
  } else if (!os::is_single_threaded()) {
    forking.waits_until = os::milliseconds() + 20;
    taken = take_all(take_if_free);
  }
  forking.taken = taken | begun;
  progress.has_every_lock = !here.nested();
}

// Returns which locks are left to be given back; none if this is not the outermost fork.
unsigned end_fork() noexcept {
  if (forking.inner != 0) {
    forking.inner = forking.inner - 1;
    return 0;
  }
  const unsigned taken = forking.taken;
  progress.has_every_lock = false;
  forking.taken = 0;
  return taken;
}

void after_fork_in_parent() {
  const slow_path here;
  const unsigned taken = end_fork();
  for (std::size_t i = lock_count; i-- > 0;) {
    if ((taken & bit_of(i)) != 0) the_pages.lock_at(i).release();
  }
  if ((taken & threads_heaps) != 0) the_heaps.unlock_heaps();
  if ((taken & users_heaps) != 0) user_heap::unlock_all();
}

// Of the locks that were left, some may be of threads that are not here any more; one that is this
// thread's own does no harm as a free one.
void after_fork_in_child() {
  const slow_path here;
  if (end_fork() == 0) return;
  the_heaps.forget_threads_but(cache.heap);
  the_heaps.reset_heaps();
  for (std::size_t i = 0; i < lock_count; ++i) the_pages.lock_at(i).reset();
  user_heap::reset_all();
}

}  // namespace

void register_fork_handlers() noexcept {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace mallard::inline v1::detail
