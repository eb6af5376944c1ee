#include "profile/record/child_program.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <system_error>

namespace mallard::profile {
namespace {

[[noreturn]] void run(const std::vector<std::string>& command,
                      const process::environment& environment, int go, int failure) {
  char byte = 0;
  if (read(go, &byte, 1) != 1) _exit(127);
  process::become(command, environment, failure);
}

}  // namespace

child_program::child_program(const std::vector<std::string>& command,
                             const process::environment& environment)
    : name_(command.front()) {
  const process::ends go = process::make_pipe();
  const process::ends failure = process::make_pipe();
  pid_ = process::copy_of_this();
  if (pid_ == 0) {
    close(go.theirs);
    run(command, environment, go.mine, failure.theirs);
  }
  close(go.mine);
  close(failure.theirs);
  go_ = go.theirs;
  failure_ = failure.mine;
}

child_program::~child_program() {
  if (failure_ >= 0) close(failure_);
  if (go_ < 0) return;
  close(go_);  // the child ends without having done anything
  status_ = process::wait_for(pid_);
}

void child_program::let_go() {
  const char byte = 1;
  (void)!write(go_, &byte, 1);
  close(go_);
  go_ = -1;
  const int error = process::why_not_executed(failure_);
  close(failure_);
  failure_ = -1;
  if (error != 0) throw std::system_error(error, std::generic_category(), name_);
}

bool child_program::ended() {
  rusage used{};
  if (!ended_ && wait4(pid_, &status_, WNOHANG, &used) == pid_) {
    ended_ = true;
    processor_seconds_ = process::processor_seconds_of(used);
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
