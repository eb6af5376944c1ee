#include "malloc/thread_exit.hpp"

#include <limits.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>

#include "malloc/background.hpp"
#include "malloc/engine.hpp"
#include "malloc/fork.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/malloc_pages.hpp"
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
  // When many threads end at once, a free of one finds that another gives memory back, and leaves
  // it to that one; nobody frees anything after the last one.
  the_pages.supply.keep_to_budget(1);
  is_known = false;
  note_end_of_thread();
  if (known_threads.fetch_sub(1) == 1) pause_background();
}

// A plug-in that is unloaded runs its destructors first and the handlers of `atexit` among them. A
// process that ends runs the handlers first, but not those of libraries that it began with. There
// giving memory back would only take time.
constinit bool may_be_unloaded = true;
constinit bool have_destructors_begun = false;
constinit bool is_being_unloaded = false;
[[gnu::destructor]] void note_destructors() {
  have_destructors_begun = true;
}
void note_handlers() {
  is_being_unloaded = have_destructors_begun && may_be_unloaded;
}

// Blocks that others still hold stay, and so does the heap of each thread.
void give_back_before_unloading() noexcept {
  trim();
  the_pages.supply.cut_regions();
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
  std::atexit(note_handlers);
  read_options();
}

// A plug-in with a malloc of its own may be unloaded before threads end that have used it.
[[gnu::destructor(101)]] void let_threads_be() {
  end_background();
  if (key_is_made.exchange(false)) pthread_key_delete(key);
  if (is_being_unloaded) give_back_before_unloading();
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

void stays_loaded() noexcept {
  may_be_unloaded = false;
}

bool may_begin_thread() noexcept {
  return rounds < last_call;
}

}  // namespace mallard::inline v1::detail
