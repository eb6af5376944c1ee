// Purpose: the programs here measure with these: a clock, and pointers whose origin is hidden.
#pragma once

#include <ctime>

namespace mallard::bench {

// Hides where a pointer comes from, so that calls through it stay virtual.
template <class T>
T* laundered(T* p) {
  asm volatile("" : "+r"(p));
  return p;
}

// Nanoseconds; by the processor's clock, as others may want it too: waiting is not counted then.
inline double now(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

}  // namespace mallard::bench
