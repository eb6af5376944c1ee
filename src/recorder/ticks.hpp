// Purpose: the cheapest clock: the processor's counter if it is stable, otherwise the system's.
#pragma once

#include <time.h>

#include <cstdint>

namespace mallard::recorder {

inline std::uint64_t system_ticks() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

inline std::uint64_t processor_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  return system_ticks();
#endif
}

}  // namespace mallard::recorder
