// One repetition of Benchmark I: warming up, finding out how often to build the container, timing.
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
  std::uint64_t leaves = 0;        // at least as many insertions are timed
  std::uint64_t buffer_bytes = 0;  // 0: no caller's buffer
  std::uint64_t seed = 1;
  double min_seconds = 0.005;  // that the timed runs last, when the hint does not say how many
  bool paper = false;
  bool uses_heap = false;  // the heap was inherited, and its pages will be written to
};

// The buffer around is the original's one buffer; the hint is the number of runs. Reads "time",
// seconds for one leaf insertion.
void build_and_drop(const container_run& what, const circumstances& around, readings& taken);

// Random printable characters, the same every time.
void write_text(std::span<char> text, std::uint64_t seed);

}  // namespace mallard::lab
