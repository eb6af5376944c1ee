#include "lab/measuring/pace.hpp"

namespace mallard::lab {

void pace::step(double expected, std::string_view doing) {
  ++done_;
  spent_ += expected;
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (tell_) tell_({done_, total_, elapsed * (expected_ - spent_) / spent_, doing});
}

}  // namespace mallard::lab
