// One repetition of Benchmark I: warms up, finds the number of runs, and times them.
#pragma once

#include <cstdint>
#include <span>

#include "lab/kernels/container_work.hpp"
#include "lab/measuring/task.hpp"

namespace mallard::lab {

struct container_run {
  container_kernel run = nullptr;
  std::uint64_t outer_elements = 0;
  std::uint64_t leaves_per_run = 0;
  std::uint64_t leaves = 0;        // the least number of timed insertions
  std::uint64_t buffer_bytes = 0;  // 0: no caller's buffer
  std::uint64_t seed = 1;
  double min_seconds = 0.005;  // the least time of the timed runs, without a hint
  bool paper = false;
  bool uses_heap = false;  // the heap is inherited and its pages will be written to
};

// The buffer in `around` is the original's one buffer; the hint is the number of runs. Reads
// "time", in seconds per leaf insertion.
void build_and_drop(const container_run& what, const circumstances& around, readings& taken);

// Random printable characters, the same every time.
void write_text(std::span<char> text, std::uint64_t seed);

}  // namespace mallard::lab
