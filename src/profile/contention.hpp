// How often threads are in heap operations at once: C of the six dimensions, scaled.
//
// A recording does not show it: the recorder's work and waiting lie between a thread's operations,
// so those of two threads seldom meet, even if they nearly always do without it. So C is computed
// from shares of time. A hundredth of the recording is as long as it would be without the recorder,
// and an operation takes what the heap's share of the processor time says. Within it, threads are
// taken to know nothing of each other: the chance that another one is inside is that of its share.
// A lock of the program's that keeps threads apart is not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profile/of_threads.hpp"

namespace mallard::profile {

// Counts of a stretch of the recording.
struct stretch_counts {
  thread_counts operations;   // of each thread
  std::uint64_t samples = 0;  // of processor time
  double busy = 0;            // ns, by the timed operations
};

struct recorder_times {
  double share = 0;      // of the heap in the program's processor time
  double sample_ns = 0;  // of the processor, from one sample to the next
  double waited_ns = 0;  // by all threads, for the recorder
};

class contention {
 public:
  // `parts`: the stretches of equal length of the whole program, `wall_ns` each.
  contention(std::span<const stretch_counts> parts, double wall_ns, const recorder_times& times);

  // C of a subsystem with these operations in each stretch, from the first to before the last one;
  // 0 if there are none.
  double of(std::span<const stretch_counts> parts, std::size_t first, std::size_t last) const;

 private:
  double operation_ns_ = 0;
  std::vector<double> walls_ns_;  // of the stretches without the recorder
};

// For how many of these operations another thread is inside.
double operations_in_company(const thread_counts& operations, double operation_ns, double wall_ns);

}  // namespace mallard::profile
