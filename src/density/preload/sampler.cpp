// The library that samples the processor time to see how often a program is in its malloc. It hooks
// no heap function, so the program runs unchanged. It meets threads when they start.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "density/preload/heap_code.hpp"
#include "density/session.hpp"
#include "preload/cpu_timer.hpp"

namespace mallard::density {
namespace {

constexpr std::uint32_t period_us = 1000;

session* all = nullptr;
std::uint32_t process_number = 1;

bool sampled(const unwind::frame_state& at, std::uint32_t) noexcept {
  all->looks.fetch_add(1, std::memory_order_relaxed);
  if (is_in_heap(at)) all->in_heap.fetch_add(1, std::memory_order_relaxed);
  return true;
}

std::uint32_t own_number() noexcept {
  return process_number;
}

void in_child() noexcept {
  ++process_number;
  preload::start_cpu_timer();
}

[[gnu::constructor]] void open_before_the_program() noexcept {
  const char* const path = getenv(session_kind.variable);
  if (path == nullptr) return;
  all = static_cast<session*>(preload::map_session(path, session_kind, sizeof(session)));
  if (all == nullptr || !find_heap_code()) return;
  preload::prepare_cpu_timers({sampled, own_number}, period_us);
  preload::start_cpu_timer();
  pthread_atfork(nullptr, nullptr, in_child);
}

struct first_call {
  void* (*function)(void*);
  void* argument;
};

void* begin_thread(void* first) {
  const first_call call = *static_cast<first_call*>(first);
  free(first);
  preload::start_cpu_timer();
  preload::keep_cpu_signal();
  return call.function(call.argument);
}

using create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

}  // namespace
}  // namespace mallard::density

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*function)(void*),
                                                             void* argument) {
  using namespace mallard::density;
  static create* const next = reinterpret_cast<create*>(dlsym(RTLD_NEXT, "pthread_create"));
  auto* const first =
      all == nullptr ? nullptr : static_cast<first_call*>(malloc(sizeof(first_call)));
  if (first == nullptr) return next(thread, attributes, function, argument);
  *first = {function, argument};
  const int error = next(thread, attributes, begin_thread, first);
  if (error != 0) free(first);
  return error;
}
