// Runs a check in a child process, so that a crash or a hang is a result like any other.
#pragma once

#include <functional>
#include <string>

namespace mallard_test {

struct outcome {
  bool passed = false;
  std::string message;  // why it did not pass
};

// Effects: runs check() in a child; it fails by an exception, a signal, or after 60 seconds.
outcome run_forked(const std::function<void()>& check);

}  // namespace mallard_test
