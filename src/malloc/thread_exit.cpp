#include "malloc/thread_exit.hpp"

#include <limits.h>
#include <pthread.h>

#include <atomic>

#include "malloc/background.hpp"
#include "malloc/fork.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/options.hpp"
#include "malloc/scope.hpp"

namespace mallard::inline v1::detail {
namespace {

constinit std::atomic<bool> key_is_made{false};
pthread_key_t key;
[[gnu::tls_model("initial-exec")]] constinit thread_local unsigned char rounds = 0;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool is_known = false;
constinit std::atomic<unsigned> known_threads{0};  // whose end will be noticed
constexpr int last_call = PTHREAD_DESTRUCTOR_ITERATIONS - 2;

void at_thread_exit(void*) {
  // Later: what other destructors free should find the heap. Not in the last round: a thread that
  // begins in the second one is not called more often.
  if (++rounds < last_call) {
    pthread_setspecific(key, &the_heaps);
    return;
  }
  end_all_scopes();
  the_heaps.end_thread(cache);
  is_known = false;
  note_end_of_thread();
  if (known_threads.fetch_sub(1) == 1) pause_background();
}

// Runs before all other initialisation, as far as there is an order: handlers registered later are
// called earlier before a fork, and find no lock taken.
[[gnu::constructor(101)]] void prepare() {
  if (pthread_key_create(&key, at_thread_exit) == 0) {
    key_is_made.store(true, std::memory_order_release);
    // The first thread may have begun already, and an option may concern its end.
    end_heap_with_thread();
  }
  register_fork_handlers();
  read_options();
}

// A plug-in with a malloc of its own may be unloaded before threads end that have used it.
[[gnu::destructor(101)]] void let_threads_be() {
  end_background();
  if (key_is_made.exchange(false)) pthread_key_delete(key);
}

}  // namespace

void end_heap_with_thread() noexcept {
  if (!key_is_made.load(std::memory_order_acquire)) return;
  if (pthread_setspecific(key, &the_heaps) != 0 || is_known) return;
  is_known = true;
  known_threads.fetch_add(1);
}

void forget_other_threads() noexcept {
  known_threads.store(is_known ? 1 : 0);
}

bool may_begin_thread() noexcept {
  return rounds < last_call;
}

}  // namespace mallard::inline v1::detail
