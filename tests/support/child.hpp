// Child processes of the test.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace mallard_test {

// Effects: runs the function in a child, which an alarm ends after a minute. Returns: its exit
// code, 1 when the test failed in it; -1 after a signal, also that of the alarm, or without a
// child.
inline int exit_code_of(const std::function<void()>& in_child) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    in_child();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace mallard_test
