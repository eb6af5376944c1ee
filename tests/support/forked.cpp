#include "support/forked.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <exception>
#include <stdexcept>

namespace mallard_test {
namespace {

[[noreturn]] void run_child(const std::function<void()>& check, int message_fd) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(60);
  std::string message;
  try {
    check();
    _exit(0);
  } catch (const std::exception& e) {
    message = e.what();
  } catch (...) {
    message = "an exception of an unknown type";
  }
  const auto written = write(message_fd, message.data(), message.size());
  _exit(written < 0 ? 2 : 1);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 512> part{};
  for (ssize_t n = 0; (n = read(fd, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace

outcome run_forked(const std::function<void()>& check) {
  int pipe_fds[2] = {-1, -1};
  if (pipe(pipe_fds) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    close(pipe_fds[0]);
    run_child(check, pipe_fds[1]);
  }
  close(pipe_fds[1]);
  const std::string message = read_all(pipe_fds[0]);
  close(pipe_fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    return {false, std::string("killed by ") + strsignal(WTERMSIG(status))};
  }
  if (WEXITSTATUS(status) == 0) return {true, ""};
  return {false, message};
}

}  // namespace mallard_test
