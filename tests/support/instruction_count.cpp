#include "support/instruction_count.hpp"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mallard_test {
namespace {

[[noreturn]] void run_child(const std::function<void()>& prepare,
                            const std::function<void()>& operation) {
  try {
    prepare();
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGSTOP);
    operation();
    raise(SIGSTOP);
  } catch (...) {
  }
  _exit(1);
}

// Waits for the child; true when it stands at one of its SIGSTOPs or has made one step.
bool stopped(pid_t child, int& signal) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return false;
  signal = WSTOPSIG(status);
  return signal == SIGSTOP || signal == SIGTRAP;
}

}  // namespace

std::optional<std::uint64_t> count_instructions(const std::function<void()>& prepare,
                                                const std::function<void()>& operation) {
  const pid_t child = fork();
  if (child == 0) run_child(prepare, operation);
  if (child < 0) return std::nullopt;

  std::optional<std::uint64_t> steps;
  int signal = 0;
  if (stopped(child, signal)) {
    for (std::uint64_t n = 0; ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0; ++n) {
      if (!stopped(child, signal)) return std::nullopt;
      if (signal == SIGSTOP) {
        steps = n;
        break;
      }
    }
  } else {
    return std::nullopt;  // it has ended and been waited for
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return steps;
}

}  // namespace mallard_test
