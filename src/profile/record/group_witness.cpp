#include "profile/record/group_witness.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "process/process.hpp"

namespace mallard::profile {

group_witness::group_witness() {
  begin();
}

group_witness::~group_witness() {
  end();
}

void group_witness::begin() {
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

void group_witness::end() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

bool group_witness::saw(int signal) {
  if (pid_ <= 0) return false;
  constexpr std::string_view name = "ShdPnd:";
  const std::string status = process::file_text("/proc/" + std::to_string(pid_) + "/status");
  const std::size_t at = status.find(name);
  const std::uint64_t pending =
      at == status.npos ? 0 : std::strtoull(status.c_str() + at + name.size(), nullptr, 16);
  end();
  begin();
  return (pending >> (signal - 1) & 1) != 0;
}

}  // namespace mallard::profile
