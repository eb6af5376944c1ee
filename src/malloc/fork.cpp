// Before a fork the forking thread takes all locks, so that the child finds everything intact; it
// releases them afterwards. In between it may allocate, as other fork handlers do: for it the locks
// are open.
//
// If there are other threads, glibc's fork then takes the lock of its list of streams. A thread
// that flushes all streams holds that lock and waits for a stream, whose reader may wait for
// malloc. So the handler takes that lock first; in the child the C library makes it anew. The fork
// of a signal handler that interrupts malloc does the same, but it may hold one of malloc's locks
// already: so a fork that cannot get all of them for some time releases what it has, and begins
// again.
//
// A signal handler may fork as well, whatever its thread is doing.
// - If it interrupts a fork, the locks are taken, and the interrupted fork goes on in parent and
//   child. There is nothing to do.
// - If it interrupts malloc, it returns there in parent and child, and there the locks are
//   released. A lock that is taken may be this thread's own, or that of a thread that waits for
//   this one. Locks that are not free for some time are left; in the child of a process with other
//   threads POSIX allows little then, and malloc is not among it. Once a fork has waited in vain,
//   those of the next second do not wait: they may come more often than they end.
#include "malloc/fork.hpp"

#include <pthread.h>

#include "mallard/detail/os/futex.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/os/threads.hpp"
#include "malloc/background.hpp"
#include "malloc/guarded_blocks.hpp"
#include "malloc/heap_profile.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/options.hpp"
#include "malloc/scope.hpp"
#include "malloc/slow_path.hpp"
#include "malloc/thread_exit.hpp"
#include "malloc/user_heap.hpp"

// Defined only by glibc.
extern "C" {
[[gnu::weak]] void _IO_list_lock();
[[gnu::weak]] void _IO_list_unlock();
}

namespace mallard::inline v1::detail {
namespace {

struct fork_progress {
  // The locks that this thread has taken for a fork, and `begun`. One word, so that a signal
  // handler finds all of it or nothing.
  volatile unsigned taken;
  // Forks of signal handlers that interrupted this one.
  volatile unsigned inner;
  volatile bool has_streams;  // the C library's lock
  // As `os::milliseconds` has it.
  unsigned long long waits_until;
  unsigned long long waits_again_at;  // a handler's fork; after one that waited in vain
};
[[gnu::tls_model("initial-exec")]] constinit thread_local fork_progress forking{};

// In the order in which threads take them. Those of users' heaps come before them, as one, then
// those of threads' heaps with that of their list; those of samples come last.
constexpr std::size_t lock_count = malloc_pages::lock_count;
constexpr unsigned bit_of(std::size_t i) noexcept {
  return 1u << i;
}
constexpr unsigned users_heaps = bit_of(lock_count);
constexpr unsigned threads_heaps = bit_of(lock_count + 1);
constexpr unsigned profile_tables = bit_of(lock_count + 2);
constexpr unsigned guarded_table = bit_of(lock_count + 3);
constexpr unsigned begun = bit_of(lock_count + 4);
constexpr unsigned every_lock = begun - 1;

// Sleeps, because a timer of processor time whose handler forks must not run meanwhile: its
// handlers would follow each other, and the code that they interrupt would never release its lock.
void wait_for_others() noexcept {
  const kept_errno keep;
  os::sleep_briefly();
}

bool take_if_free(futex_lock& lock) noexcept {
  while (!lock.try_acquire()) {
    if (os::milliseconds() >= forking.waits_until) return false;
    wait_for_others();
  }
  return true;
}

unsigned take_all_that_are_free(bool in_handler) noexcept {
  const unsigned long long now = os::milliseconds();
  const bool waits = !os::is_single_threaded() && (!in_handler || now >= forking.waits_again_at);
  forking.waits_until = now + (waits ? 20 : 0);
  unsigned taken = user_heap::lock_all(take_if_free) ? users_heaps : 0;
  if (the_heaps.lock_heaps(take_if_free)) taken |= threads_heaps;
  for (std::size_t i = 0; i < lock_count; ++i) {
    if (take_if_free(the_pages.lock_at(i))) taken |= bit_of(i);
  }
  if (take_if_free(the_profile.lock())) taken |= profile_tables;
  if (take_if_free(the_guarded.lock())) taken |= guarded_table;
  if (in_handler && waits && taken != every_lock) forking.waits_again_at = now + 1000;
  return taken;
}

void give_back(unsigned taken) noexcept {
  if ((taken & guarded_table) != 0) the_guarded.lock().release();
  if ((taken & profile_tables) != 0) the_profile.lock().release();
  for (std::size_t i = lock_count; i-- > 0;) {
    if ((taken & bit_of(i)) != 0) the_pages.lock_at(i).release();
  }
  if ((taken & threads_heaps) != 0) the_heaps.unlock_heaps();
  if ((taken & users_heaps) != 0) user_heap::unlock_all();
}

void take_streams() noexcept {
  if (os::is_single_threaded() || _IO_list_lock == nullptr) return;
  _IO_list_lock();
  forking.has_streams = true;
}

void give_back_streams() noexcept {
  if (!forking.has_streams) return;
  forking.has_streams = false;
  _IO_list_unlock();
}

void before_fork() {
  if (forking.taken != 0) {
    forking.inner = forking.inner + 1;
    return;
  }
  const slow_path here;
  take_streams();
  unsigned taken = take_all_that_are_free(here.nested());
  while (taken != every_lock && !here.nested()) {
    give_back(taken);
    give_back_streams();
    wait_for_others();
    take_streams();
    taken = take_all_that_are_free(false);
  }
  forking.taken = taken | begun;
  progress.has_every_lock = !here.nested();
}

// Returns the locks that are left to be released; none if this is not the outermost fork.
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
  const bool outermost = forking.inner == 0;
  give_back(end_fork());
  if (outermost) give_back_streams();
}

// Some of the locks that were left may be of threads that do not exist here; one that is this
// thread's own does no harm as a free one. The fork of a handler leaves heaps and scopes of other
// threads as they are: where it has interrupted malloc, nothing may tell for a moment which are
// this thread's own.
void after_fork_in_child() {
  const slow_path here;
  forking.has_streams = false;
  const unsigned taken = end_fork();
  if (taken == 0) return;
  forget_background();
  forget_other_threads();
  close_stats_copy();
  if (!here.nested()) {
    the_heaps.forget_threads_but(own_cache().heap);
    user_heap::forget_scopes_of_other_threads();
  }
  the_heaps.reset_heaps();
  for (std::size_t i = 0; i < lock_count; ++i) the_pages.lock_at(i).reset();
  user_heap::reset_all();
  the_profile.lock().reset();
  the_guarded.lock().reset();
}

}  // namespace

void register_fork_handlers() noexcept {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace mallard::inline v1::detail
