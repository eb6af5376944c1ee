// Stubs for machines on which we cannot make a thread call a function.
#include <stdexcept>

#include "profile/attach/running_process.hpp"

namespace mallard::profile {

running_process::running_process(pid_t pid, std::function<void()>) : pid_(pid), memory_(pid) {
  throw std::runtime_error("attaching to a process works only on x86-64");
}

std::vector<std::string> running_process::command() const {
  return {};
}

bool running_process::is_there() const {
  return false;
}

bool running_process::has_library(const std::string&) const {
  return false;
}

void running_process::call(const std::string&, const char*, const std::string&) {}

bool running_process::has_fewer_rights() const {
  return false;
}

std::uint64_t running_process::modules() const {
  return 0;
}

}  // namespace mallard::profile
