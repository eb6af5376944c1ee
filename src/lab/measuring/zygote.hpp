// A process that has been brought into a condition once and then forks a fresh copy of itself for
// each repetition: all of them start from exactly the same heap.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "lab/measuring/errand.hpp"
#include "lab/measuring/task.hpp"

namespace mallard::lab {

enum class heap_state {
  clean,
  aged,            // aged and settled
  aged_unsettled,  // aged, as the original leaves it
};

class zygote {
 public:
  // Forks, and waits until the heap is in its state. The calling process must be single-threaded.
  // Throws std::runtime_error.
  // `buffer_bytes`: size of the original's one buffer, written to before any measurement.
  explicit zygote(heap_state heap, std::size_t buffer_bytes = 0);
  ~zygote();  // ends the process and whatever it is measuring
  zygote(const zygote&) = delete;
  zygote& operator=(const zygote&) = delete;

  // Measures in a forked process and waits for it. A crash, a timeout or an exhausted memory there
  // is an error in the outcome. When a signal interrupts the wait, `interrupted` asks whether to
  // give up; the outcome then is an error too.
  outcome run(const task& what, const measuring_limits& limits, bool (*interrupted)());

 private:
  void stop() noexcept;

  pid_t process_ = -1;
  int channel_ = -1;
};

}  // namespace mallard::lab
