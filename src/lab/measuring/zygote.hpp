// A process that is brought into a condition once and then forks a fresh copy of itself for each
// repetition, so that all start from exactly the same heap.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "lab/measuring/errand.hpp"
#include "lab/measuring/task.hpp"

namespace mallard::lab {

enum class heap_state {
  clean,
  aged,            // aged and settled
  aged_unsettled,  // aged but not settled, as in the original
};

class zygote {
 public:
  // Forks, and waits until the heap is in its state. The calling process must be single-threaded.
  // `buffer_bytes`: the size of the original's one buffer, written to before any measurement.
  // Throws std::runtime_error.
  explicit zygote(heap_state heap, std::size_t buffer_bytes = 0);
  ~zygote();  // ends the process and its measurement
  zygote(const zygote&) = delete;
  zygote& operator=(const zygote&) = delete;

  // Measures in a forked process and waits for it. A crash, a timeout or exhausted memory there is
  // an error in the outcome. If a signal interrupts the wait, `interrupted` decides whether to give
  // up, which is an error, too.
  outcome run(const task& what, const measuring_limits& limits, bool (*interrupted)());

 private:
  void stop() noexcept;

  pid_t process_ = -1;
  int channel_ = -1;
};

}  // namespace mallard::lab
