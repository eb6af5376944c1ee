// Purpose: a signal that the malloc handles for a time. A plug-in's code may be unloaded soon after
// its last destructor, and the handler with it: so the action before it is put back.
#pragma once

#include <signal.h>

namespace mallard::inline v1::detail {

class taken_signal {
 public:
  constexpr taken_signal() noexcept = default;

  bool is_taken() const noexcept { return signal_ != 0; }
  // The action that others asked for.
  struct sigaction& before() noexcept { return before_; }

  bool take(int signal, const struct sigaction& action) noexcept {
    if (sigaction(signal, &action, &before_) != 0) return false;
    action_ = action;
    signal_ = signal;
    return true;
  }
  // A handler that the program has installed since then stays.
  void give_back() noexcept {
    struct sigaction now{};
    if (!is_taken() || sigaction(signal_, nullptr, &now) != 0) return;
    // Handlers of both kinds are in one union.
    if (now.sa_handler == action_.sa_handler) sigaction(signal_, &before_, nullptr);
  }

 private:
  int signal_ = 0;
  struct sigaction action_{};
  struct sigaction before_{};
};

}  // namespace mallard::inline v1::detail
