#include "process/removed_when_killed.hpp"

#include <unistd.h>

#include <atomic>

namespace mallard::process {
namespace {

std::atomic<const char*> doomed{};

void remove_and_end(int signal) {
  if (const char* const file = doomed.load()) unlink(file);
  raise(signal);  // whose handler was reset
}

}  // namespace

removed_when_killed::removed_when_killed(const std::filesystem::path& file) : file_(file.string()) {
  const char* none = nullptr;
  if (!doomed.compare_exchange_strong(none, file_.c_str())) return;
  struct sigaction action{};
  action.sa_handler = remove_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    struct sigaction before{};
    sigaction(signals_[i], nullptr, &before);
    is_ours_[i] = before.sa_handler == SIG_DFL;
    if (is_ours_[i]) sigaction(signals_[i], &action, nullptr);
  }
}

removed_when_killed::~removed_when_killed() {
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    if (is_ours_[i]) signal(signals_[i], SIG_DFL);
  }
  const char* ours = file_.c_str();
  doomed.compare_exchange_strong(ours, nullptr);
}

}  // namespace mallard::process
