// Purpose: the programs here measure with these: a clock, medians, and pointers whose origin is
// hidden.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

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

// 0 of nothing.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  if (values.size() % 2 != 0) return values[half];
  return values.empty() ? 0 : (values[half - 1] + values[half]) / 2;
}

}  // namespace mallard::bench
