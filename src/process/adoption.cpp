#include "process/adoption.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "process/process.hpp"

namespace mallard::process {
namespace {

using families = std::map<pid_t, std::vector<pid_t>>;  // by parent

families all_families() {
  families out;
  for (const pid_t one : all_processes()) out[parent_of(one)].push_back(one);
  return out;
}

}  // namespace

adoption::adoption(bool wanted) : wanted_(wanted) {
  if (!wanted_) return;
  const std::vector<pid_t> children = all_families()[getpid()];
  others_.insert(children.begin(), children.end());
  prctl(PR_GET_CHILD_SUBREAPER, &before_, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

adoption::~adoption() {
  if (wanted_) prctl(PR_SET_CHILD_SUBREAPER, before_, 0, 0, 0);
}

bool adoption::has_living() const {
  if (!wanted_) return false;
  pid_t ended = 0;
  while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  return ended == 0;
}

std::vector<pid_t> adoption::living() const {
  families all = all_families();
  std::vector<pid_t> found;
  for (const pid_t child : all[getpid()]) {
    if (!others_.contains(child) && waitpid(child, nullptr, WNOHANG) == 0) found.push_back(child);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::vector<pid_t>& children = all[found[i]];
    found.insert(found.end(), children.begin(), children.end());
  }
  std::erase_if(found, has_ended);
  return found;
}

// Each look also finds what was started since the last one.
void adoption::end_all() const {
  if (!wanted_) return;
  constexpr int patience = 50, looks = 100;  // some cannot be killed
  for (int i = 0; i < looks; ++i) {
    const std::vector<pid_t> left = living();
    if (left.empty()) return;
    for (const pid_t one : left) {
      if (i == 0 || i >= patience) kill(one, i == 0 ? SIGTERM : SIGKILL);
    }
    usleep(20'000);
  }
}

}  // namespace mallard::process
