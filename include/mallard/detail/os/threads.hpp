// Purpose: whether the process has only one thread, where the system tells.
#pragma once

#include "mallard/detail/config.hpp"

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define MALLARD_KNOWS_SINGLE_THREADED 1
#endif
#endif

namespace mallard::inline v1::detail::os {

// True only while no other thread can be running, or can start without the caller's action.
inline bool is_single_threaded() noexcept {
#ifdef MALLARD_KNOWS_SINGLE_THREADED
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace mallard::inline v1::detail::os
