#include "replay/think.hpp"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace mallard::replay {
namespace {

constexpr std::size_t line = 64;
constexpr std::uint32_t steps_per_line = 100;

// Each step depends on the previous one.
std::uint64_t step(std::uint64_t value) {
  value = value * 0x5851'f42d'4c95'7f2d + 1;
  asm volatile("" : "+r"(value));
  return value;
}

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

thinker::thinker(double steps_per_ns, std::size_t pollution_bytes)
    : steps_per_1024_ns_(static_cast<std::uint32_t>(std::max(1.0, steps_per_ns * 1024))),
      bytes_(std::max<std::size_t>(pollution_bytes / line * line, line)) {
  void* const mapped =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  lines_ = static_cast<unsigned char*>(mapped);
  std::memset(lines_, 1, bytes_);
}

thinker::~thinker() {
  munmap(lines_, bytes_);
}

void thinker::work(std::uint32_t ns) {
  const std::uint64_t whole = std::uint64_t{std::min(ns, longest_ns)} * steps_per_1024_ns_;
  auto steps = static_cast<std::uint32_t>(whole / 1024);
  while (steps > until_line_) {
    for (std::uint32_t i = 0; i < until_line_; ++i) value_ = step(value_);
    steps -= until_line_;
    until_line_ = steps_per_line;
    ++lines_[at_];
    at_ = at_ + line < bytes_ ? at_ + line : 0;
  }
  until_line_ -= steps;
  for (std::uint32_t i = 0; i < steps; ++i) value_ = step(value_);
}

double calibrate_thinking() {
  constexpr std::uint32_t steps = 200'000;
  double best = 0;
  for (int tries = 0; tries < 8; ++tries) {
    std::uint64_t value = 1;
    const double start = seconds_now();
    for (std::uint32_t i = 0; i < steps; ++i) value = step(value);
    const double seconds = seconds_now() - start;
    if (seconds > 0) best = std::max(best, steps / seconds * 1e-9);
  }
  return best > 0 ? best : 1;
}

}  // namespace mallard::replay
