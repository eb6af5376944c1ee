// One repetition of one cell of a series: what runs in a process of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "lab/kernels/extended_work.hpp"
#include "lab/kernels/series_work.hpp"
#include "lab/outcome.hpp"

namespace mallard::lab {

template <class Work>
struct series_task {
  series_kernel<Work> run = nullptr;
  Work work;
};

// Sent to a forked process as it is, hence no owning members.
struct series_job {
  using measured = readings;

  std::variant<series_task<locality_work>, series_task<utilization_work>,
               series_task<contention_work>, series_task<false_sharing_work>,
               series_task<growth_work>, series_task<shrink_work>, series_task<burst_work>,
               series_task<pool_work>, series_task<realloc_work>, series_task<mixed_work>>
      task;
  std::uint64_t memory_limit = 0;  // bytes of address space; 0: none
  double timeout_seconds = 300;
  bool uses_heap = false;  // the heap was inherited, and its pages will be written to
};

// Measures in this process; the peak of the resident set, "rss", comes with what the kernel reads,
// if it has not read it itself before some part that is not measured.
// Never throws: an exception becomes an error.
basic_outcome<readings> measure_repetition(const series_job& what, std::span<std::byte>) noexcept;

}  // namespace mallard::lab
