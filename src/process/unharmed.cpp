#include "process/unharmed.hpp"

namespace mallard::process {
namespace {

std::vector<int> told_to_groups() {
  std::vector<int> out = {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR};
#ifdef SIGSTKFLT
  out.push_back(SIGSTKFLT);
#endif
  for (int each = SIGRTMIN; each <= SIGRTMAX; ++each) out.push_back(each);
  return out;
}

}  // namespace

// A handler, not SIG_IGN: that would be inherited by the programs.
unharmed::unharmed() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  for (const int each : told_to_groups()) {
    struct sigaction before{};
    sigaction(each, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    sigaction(each, &action, nullptr);
    signals_.push_back(each);
  }
}

unharmed::~unharmed() {
  for (const int each : signals_) signal(each, SIG_DFL);
}

}  // namespace mallard::process
