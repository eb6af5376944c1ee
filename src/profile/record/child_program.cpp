#include "profile/record/child_program.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <system_error>

namespace mallard::profile {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "no pipe");
  }
  return ends;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

[[noreturn]] void run(const std::vector<std::string>& command,
                      const std::vector<std::pair<std::string, std::string>>& environment, int go,
                      int failure) {
  char byte = 0;
  if (read(go, &byte, 1) != 1) _exit(127);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

}  // namespace

child_program::child_program(const std::vector<std::string>& command,
                             const std::vector<std::pair<std::string, std::string>>& environment)
    : name_(command.front()) {
  const auto go = make_pipe();
  const auto failure = make_pipe();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "no process");
  if (pid_ == 0) {
    close(go[1]);
    run(command, environment, go[0], failure[1]);
  }
  close(go[0]);
  close(failure[1]);
  go_ = go[1];
  failure_ = failure[0];
}

child_program::~child_program() {
  if (failure_ >= 0) close(failure_);
  if (go_ < 0) return;
  close(go_);  // it ends, having done nothing
  waitpid(pid_, &status_, 0);
}

void child_program::let_go() {
  const char byte = 1;
  (void)!write(go_, &byte, 1);
  close(go_);
  go_ = -1;
  int error = 0;
  const ssize_t got = read(failure_, &error, sizeof error);
  close(failure_);
  failure_ = -1;
  if (got == sizeof error) throw std::system_error(error, std::generic_category(), name_);
}

bool child_program::ended() {
  rusage used{};
  if (!ended_ && wait4(pid_, &status_, WNOHANG, &used) == pid_) {
    ended_ = true;
    processor_seconds_ = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  return ended_;
}

bool child_program::exited() const {
  return WIFEXITED(status_);
}

int child_program::status() const {
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : WTERMSIG(status_);
}

}  // namespace mallard::profile
