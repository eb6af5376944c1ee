// One repetition of one cell: what runs in a process of its own.
#pragma once

#include <cstdint>
#include <span>

#include "lab/kernels/work.hpp"
#include "lab/outcome.hpp"

namespace mallard::lab {

struct measurement {
  double seconds = 0;
  double setup_seconds = 0;
  std::uint64_t rss_bytes = 0;
  std::uint64_t base_rss_bytes = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t runs = 0;
  std::uint64_t checksum = 0;
};

// The repetition to measure. Sent to a forked process as it is, hence no owning members.
struct job {
  using measured = measurement;

  kernel run = nullptr;
  std::uint64_t outer_elements = 0;
  std::uint64_t leaves_per_run = 0;
  std::uint64_t leaves = 0;        // what `seconds` is scaled to
  std::uint64_t runs = 0;          // 0: as many as make up `leaves` and last for `min_seconds`
  std::uint64_t buffer_bytes = 0;  // 0: no caller's buffer
  std::uint64_t seed = 1;
  std::uint64_t memory_limit = 0;  // bytes of address space; 0: none
  double min_seconds = 0.005;
  double timeout_seconds = 300;
  bool paper = false;
  bool uses_heap = false;  // the heap was inherited, and its pages will be written to
};

using outcome = basic_outcome<measurement>;

// Measures in this process. `paper_buffer` is the original's one buffer, prepared by the parent.
// Never throws: an exception becomes an error.
outcome measure_repetition(const job& what, std::span<std::byte> paper_buffer) noexcept;

// Random printable characters, the same every time.
void write_text(std::span<char> text, std::uint64_t seed);

}  // namespace mallard::lab
