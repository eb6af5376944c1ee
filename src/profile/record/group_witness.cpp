#include "profile/record/group_witness.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "process/process.hpp"

namespace mallard::profile {

group_witness::group_witness() {
  sigset_t all{}, before{};
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) pause();
    _exit(0);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

group_witness::~group_witness() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::uint64_t group_witness::pending() const {
  if (pid_ <= 0) return 0;
  constexpr std::string_view name = "ShdPnd:";
  const std::string status = process::file_text("/proc/" + std::to_string(pid_) + "/status");
  const std::size_t at = status.find(name);
  return at == status.npos ? 0 : std::strtoull(status.c_str() + at + name.size(), nullptr, 16);
}

}  // namespace mallard::profile
