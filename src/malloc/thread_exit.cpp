#include "malloc/thread_exit.hpp"

#include <limits.h>
#include <pthread.h>

#include <atomic>

#include "malloc/heap_list.hpp"
#include "malloc/large_space.hpp"
#include "malloc/options.hpp"
#include "malloc/slice_supply.hpp"
#include "malloc/user_heap.hpp"

namespace mallard::inline v1::detail {
namespace {

constinit std::atomic<bool> key_is_made{false};
pthread_key_t key;
[[gnu::tls_model("initial-exec")]] constinit thread_local unsigned char rounds = 0;

void at_thread_exit(void*) {
  // The last ones: what other destructors free should find the heap.
  if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
    pthread_setspecific(key, &the_heaps);
    return;
  }
  the_heaps.end_thread();
}

void before_fork() {
  user_heap::lock_all();
  the_heaps.lock().lock();
  for (large_space& space : the_spaces) space.lock().lock();
  the_supply.lock().lock();
}

void after_fork_in_parent() {
  the_supply.lock().unlock();
  for (large_space& space : the_spaces) space.lock().unlock();
  the_heaps.lock().unlock();
  user_heap::unlock_all();
}

void after_fork_in_child() {
  the_heaps.forget_other_threads();
  the_supply.lock().reset();
  for (large_space& space : the_spaces) space.lock().reset();
  the_heaps.lock().reset();
  user_heap::reset_all();
}

// Before all other initialisation: whoever registers later is called earlier before a fork, and may
// allocate then.
[[gnu::constructor(101)]] void prepare() {
  if (pthread_key_create(&key, at_thread_exit) == 0) {
    key_is_made.store(true, std::memory_order_release);
    // The first thread may have begun already.
    if (cache.heap != nullptr) end_heap_with_thread();
  }
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  read_options();
}

}  // namespace

void end_heap_with_thread() noexcept {
  if (key_is_made.load(std::memory_order_acquire)) pthread_setspecific(key, &the_heaps);
}

bool may_begin_thread() noexcept {
  return rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1;
}

}  // namespace mallard::inline v1::detail
