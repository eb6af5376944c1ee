#include "cli/interrupt.hpp"

#include <signal.h>

#include <initializer_list>

namespace mallard::cli {
namespace {

volatile sig_atomic_t flag = 0;

void remember(int) {
  flag = 1;
}

void handle_with(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;  // no SA_RESTART: a read that waits for a measurement must return
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    sigaction(each, nullptr, &before);
    const bool is_below_nohup = each == SIGHUP && before.sa_handler == SIG_IGN;
    if (!is_below_nohup) sigaction(each, &action, nullptr);
  }
}

}  // namespace

interrupt_guard::interrupt_guard() {
  flag = 0;
  handle_with(remember);
}

interrupt_guard::~interrupt_guard() {
  handle_with(SIG_DFL);
}

bool was_interrupted() {
  return flag != 0;
}

}  // namespace mallard::cli
