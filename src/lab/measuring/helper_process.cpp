#include "lab/measuring/helper_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace mallard::lab {

bool read_all(int channel, void* value, std::size_t size, bool (*give_up)()) {
  auto* bytes = static_cast<char*>(value);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = read(channel, bytes + done, size - done);
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (got == 0 || errno != EINTR || (give_up && give_up())) {
      return false;
    }
  }
  return true;
}

bool write_all(int channel, const void* value, std::size_t size) {
  const auto* bytes = static_cast<const char*>(value);
  for (std::size_t done = 0; done < size;) {
    const ssize_t put = send(channel, bytes + done, size - done, MSG_NOSIGNAL);
    if (put > 0) {
      done += static_cast<std::size_t>(put);
    } else if (put == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

channel_pair make_channel() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {ends[0], ends[1]};
}

void become_helper() {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void be_expendable() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    // If this is not allowed, the child is still likely to be the largest process.
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
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return fmt::format("killed by signal {} ({})", number, strsignal(number));
  }
  return fmt::format("exited with status {}", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

}  // namespace mallard::lab
