// Purpose: converts ticks of any clock to nanoseconds since the recording began.
#pragma once

#include <cstdint>

namespace mallard::profile {

class ticks_clock {
 public:
  // Starts now. Compares two clocks, which takes some ten milliseconds.
  ticks_clock();

  static constexpr std::uint64_t resolution = 16;  // ns; a power of two

  bool stable() const { return stable_; }  // the processor's counter serves as the clock
  std::uint64_t ticks_of_microsecond() const;
  std::uint64_t started() const { return started_; }  // wall clock, ns since 1970
  std::uint64_t now() const;                          // ns since the start
  // Time between two readings in immediate succession.
  std::uint64_t reading_ps() const { return reading_ps_; }

  // In steps of 16 ns, which saves half a byte for each event of the trace. The order is preserved.
  // Events of two threads that are closer do not depend on each other, because a cache line takes
  // longer from one processor to the next.
  std::uint64_t at(std::uint64_t ticks) const {
    return ticks <= begin_ ? 0 : duration(ticks - begin_) / resolution * resolution;
  }
  std::uint64_t duration(std::uint64_t ticks) const {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((wide{ticks} * factor_) >> 32);
  }

 private:
  bool stable_;
  std::uint64_t begin_;
  std::uint64_t started_;
  std::uint64_t factor_ = std::uint64_t{1} << 32;  // ns per tick, times 2^32
  std::uint64_t reading_ps_ = 0;
};

}  // namespace mallard::profile
