// Purpose: lets checked<> see, in a test program, when a destructor of a winked-out object frees
// memory of the global heap or takes a lock. Include it in a file of the program.
//
//   #include "mallard/checks/watch_program.hpp"
//
// It defines `free`, `realloc`, `pthread_mutex_lock`, `pthread_mutex_trylock` and
// `pthread_rwlock_wrlock` in the program; they call the original ones. It is for tests only. A
// statically linked program has no originals: it says so and aborts. With a sanitizer it defines
// nothing: frees are seen then without it, locks are not.
//
// Complexity: a load and a branch per call of these. Thread-safety: as the functions.
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
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace mallard::inline v1::detail {

// The function behind the program's own; aborts if there is none.
template <class Function>
Function* function_behind(const char* name) noexcept {
  if (void* const found = dlsym(RTLD_NEXT, name)) return reinterpret_cast<Function*>(found);
  constexpr char why[] = "watch_program.hpp: a watched program has to be linked dynamically\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, why, sizeof why - 1);
  std::abort();
}

inline void note_if_watched(effect what) noexcept {
  if (watched_effects != nullptr) [[unlikely]]
    note_effect(what);
}

}  // namespace mallard::inline v1::detail

// Each is noexcept if the C library declares it so: glibc does, musl does not.
extern "C" {

[[gnu::used]] inline void free(void* p) noexcept(noexcept(::free(p))) {
  static void (*behind)(void*) = nullptr;
  constinit static thread_local bool is_looking = false;
  if (p == nullptr) return;
  mallard::detail::note_if_watched(mallard::detail::effect::free);
  if (behind == nullptr) {
    // dlsym frees the text of an error that nobody asked for. That one text is kept.
    if (is_looking) return;
    is_looking = true;
    behind = mallard::detail::function_behind<void(void*)>("free");
    is_looking = false;
  }
  behind(p);
}

// Growing a block frees the old one, too, but that is seen when the new one is freed.
[[gnu::used]] inline void* realloc(void* p,
                                   std::size_t bytes) noexcept(noexcept(::realloc(p, bytes))) {
  static void* (*behind)(void*, std::size_t) = nullptr;
  if (p != nullptr && bytes == 0) mallard::detail::note_if_watched(mallard::detail::effect::free);
  if (behind == nullptr) {
    behind = mallard::detail::function_behind<void*(void*, std::size_t)>("realloc");
  }
  return behind(p, bytes);
}

[[gnu::used]] inline int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept(
    noexcept(::pthread_mutex_trylock(mutex))) {
  static int (*behind)(pthread_mutex_t*) = nullptr;
  if (behind == nullptr) {
    behind = mallard::detail::function_behind<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  }
  const int error = behind(mutex);
  if (error == 0) mallard::detail::note_if_watched(mallard::detail::effect::lock);
  return error;
}

[[gnu::used]] inline int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept(
    noexcept(::pthread_mutex_lock(mutex))) {
  static int (*behind)(pthread_mutex_t*) = nullptr;
  mallard::detail::note_if_watched(mallard::detail::effect::lock);
  if (behind == nullptr) {
    behind = mallard::detail::function_behind<int(pthread_mutex_t*)>("pthread_mutex_lock");
  }
  return behind(mutex);
}

[[gnu::used]] inline int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept(
    noexcept(::pthread_rwlock_wrlock(lock))) {
  static int (*behind)(pthread_rwlock_t*) = nullptr;
  mallard::detail::note_if_watched(mallard::detail::effect::lock);
  if (behind == nullptr) {
    behind = mallard::detail::function_behind<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  }
  return behind(lock);
}

}  // extern "C"
#endif
