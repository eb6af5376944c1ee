// Purpose: lets checked<> see, in a test program, when a destructor of a winked-out object frees
// memory of the global heap or takes a lock. Include it in a file of the program.
//
//   #include "mallard/checks/watch_program.hpp"
//
// It defines `free`, `pthread_mutex_lock` and `pthread_rwlock_wrlock` of the program, which go on
// to the ones behind them; for tests alone. With a sanitizer it defines nothing: frees are known
// then without it, locks are not.
//
// Complexity: a load and a branch for each of these calls. Thread-safety: as the functions.
#pragma once

#include "mallard/detail/checks/effects.hpp"
#include "mallard/detail/core/annotate.hpp"

#if defined(__has_feature)
#if __has_feature(hwaddress_sanitizer)
#define MALLARD_WATCH_BY_HOOKS
#endif
#endif
#if defined(MALLARD_ASAN) || defined(MALLARD_TSAN) || defined(MALLARD_MSAN)
#define MALLARD_WATCH_BY_HOOKS
#endif

#ifndef MALLARD_WATCH_BY_HOOKS
#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>

namespace mallard::inline v1::detail {

// The function behind the program's own; null while it is being looked for.
template <class Function>
Function* function_behind(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

inline void note_if_watched(effect what) noexcept {
  if (watched_effects != nullptr) [[unlikely]]
    note_effect(what);
}

}  // namespace mallard::inline v1::detail

extern "C" {

[[gnu::used]] inline void free(void* p) noexcept {
  static void (*behind)(void*) = nullptr;
  if (p == nullptr) return;
  mallard::detail::note_if_watched(mallard::detail::effect::free);
  if (behind == nullptr) behind = mallard::detail::function_behind<void(void*)>("free");
  behind(p);
}

[[gnu::used]] inline int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static int (*behind)(pthread_mutex_t*) = nullptr;
  mallard::detail::note_if_watched(mallard::detail::effect::lock);
  if (behind == nullptr) {
    behind = mallard::detail::function_behind<int(pthread_mutex_t*)>("pthread_mutex_lock");
  }
  return behind(mutex);
}

[[gnu::used]] inline int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static int (*behind)(pthread_rwlock_t*) = nullptr;
  mallard::detail::note_if_watched(mallard::detail::effect::lock);
  if (behind == nullptr) {
    behind = mallard::detail::function_behind<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  }
  return behind(lock);
}

}  // extern "C"
#endif
