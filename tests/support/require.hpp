// Checks that do not depend on a test framework, so that the same check can run under GoogleTest,
// in a forked child that may crash, and under a fuzzer.
#pragma once

#include <sstream>
#include <stdexcept>

namespace mallard_test {

struct check_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw check_failure(message.str());
}

// The message is only put together when the condition does not hold.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) fail(parts...);
}

// Returns true when `call` ends in std::bad_alloc; every other exception is passed on.
template <class Call>
bool throws_bad_alloc(Call&& call) {
  try {
    call();
  } catch (const std::bad_alloc&) {
    return true;
  }
  return false;
}

}  // namespace mallard_test
