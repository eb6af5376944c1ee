#include "lab/measuring/helper_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

namespace mallard::lab {

void become_helper() {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  process::end_with_parent();
}

void be_expendable() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    // Without permission, the child is still likely to be the largest process.
    [[maybe_unused]] const auto written = write(score, "1000", 4);
    close(score);
  }
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
}

std::string describe_end(int status, bool timed_out, double timeout_seconds) {
  if (timed_out) return fmt::format("timed out after {} s", timeout_seconds);
  return process::describe_end(status);
}

}  // namespace mallard::lab
