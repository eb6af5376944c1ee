#include "profile/record/ticks_clock.hpp"

#include <time.h>

#include <algorithm>

#include "recorder/ticks.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mallard::profile {
namespace {

constexpr std::uint64_t calibration_ns = 10'000'000;

// Whether the processor's counter runs at one speed in every state and on every processor.
bool counter_is_stable() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned advanced_power_management = 0x8000'0007;
  constexpr unsigned invariant_tsc = 1U << 8;
  return __get_cpuid(advanced_power_management, &a, &b, &c, &d) != 0 && (d & invariant_tsc) != 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

struct both {
  std::uint64_t ticks;
  std::uint64_t ns;
};

// Reads both clocks at the same time: the closest of a few tries.
both read_both() {
  both best{};
  std::uint64_t closest = UINT64_MAX;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t before = recorder::processor_ticks();
    const std::uint64_t ns = recorder::system_ticks();
    const std::uint64_t after = recorder::processor_ticks();
    if (after - before < closest) {
      closest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

// The minimum of some tries, so that none was interrupted.
std::uint64_t ticks_of_readings(std::uint64_t (*read)(), std::uint64_t count) {
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t begin = read();
    std::uint64_t end = begin;
    for (std::uint64_t n = 0; n < count; ++n) end = read();
    least = std::min(least, end - begin);
  }
  return least;
}

}  // namespace

ticks_clock::ticks_clock() : stable_(counter_is_stable()) {
  if (stable_) {
    const both first = read_both();
    const timespec some{0, static_cast<long>(calibration_ns)};
    nanosleep(&some, nullptr);
    const both second = read_both();
    const double ns_per_tick =
        static_cast<double>(second.ns - first.ns) / static_cast<double>(second.ticks - first.ticks);
    factor_ = static_cast<std::uint64_t>(ns_per_tick * 4294967296.0);
  }
  constexpr std::uint64_t readings = 100;
  reading_ps_ = duration(ticks_of_readings(
                    stable_ ? recorder::processor_ticks : recorder::system_ticks, readings)) *
                (1000 / readings);
  begin_ = stable_ ? recorder::processor_ticks() : recorder::system_ticks();
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  started_ = static_cast<std::uint64_t>(wall.tv_sec) * 1'000'000'000 +
             static_cast<std::uint64_t>(wall.tv_nsec);
}

std::uint64_t ticks_clock::ticks_of_microsecond() const {
  return (std::uint64_t{1000} << 32) / factor_;
}

std::uint64_t ticks_clock::now() const {
  return at(stable_ ? recorder::processor_ticks() : recorder::system_ticks());
}

}  // namespace mallard::profile
