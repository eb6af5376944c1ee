// Ctrl-C: asks the bench to stop instead of killing it.
#pragma once

namespace mallard::cli {

// While one of these lives, SIGINT, SIGTERM and SIGHUP only set a flag (and interrupt blocking
// reads).
class interrupt_guard {
 public:
  interrupt_guard();
  ~interrupt_guard();
  interrupt_guard(const interrupt_guard&) = delete;
  interrupt_guard& operator=(const interrupt_guard&) = delete;
};

bool was_interrupted();

}  // namespace mallard::cli
