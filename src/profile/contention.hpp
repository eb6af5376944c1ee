// How often threads are in heap operations at once: C of the six dimensions, scaled.
//
// A recording does not show it: the recorder's work and waiting lie between a thread's operations,
// so those of two threads seldom meet, even if they nearly always do without it. So C is computed
// from shares of time. A window of the recording is as long as it would be without the recorder,
// and an operation takes what the heap's share of the processor time says. Within a window, threads
// are taken to know nothing of each other: the chance that another one is inside is that of its
// share. A lock of the program's that keeps threads apart is not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/of_threads.hpp"

namespace mallard::profile {

// The times of a recording without its recorder, in ns.
struct plain_time {
  double operation = 0;         // takes one of the heap's
  std::vector<double> windows;  // take these; one for all if there are no windows
};

// A stretch of the recording.
struct recorded_stretch {
  double wall = 0;        // ns
  double program = 0;     // ns of the processor, without the recorder
  double operations = 0;  // of all threads
};

// The recorder's time for an operation, waiting included, in ns. `threads_time`: of all threads
// while they operate.
double recorder_time(const recorded_stretch& all, double threads_time);
double plain_wall(const recorded_stretch& part, double recorder_ns);

// For how many of these operations another thread is inside.
double operations_in_company(const thread_counts& operations, double operation_ns, double wall_ns);

}  // namespace mallard::profile
