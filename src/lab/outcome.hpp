// What comes back from a process that measured one repetition.
#pragma once

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string_view>

namespace mallard::lab {

// A measurement, or why there is none. Sent through a pipe as it is.
template <class Measured>
struct basic_outcome {
  Measured measured{};
  std::array<char, 160> error{};  // empty: good

  bool ok() const { return error[0] == '\0'; }
  void fail(std::string_view why) {
    const std::size_t length = std::min(why.size(), error.size() - 1);
    std::copy_n(why.begin(), length, error.begin());
    error[length] = '\0';
  }
};

// Runs `measure`, which fills `result.measured`; what it throws becomes the error.
template <class Measured, class Measure>
void measure_or_fail(basic_outcome<Measured>& result, const Measure& measure) noexcept {
  try {
    measure();
  } catch (const std::bad_alloc&) {
    result.fail("out of memory");
  } catch (const std::exception& problem) {
    result.fail(problem.what());
  } catch (...) {
    result.fail("an exception of unknown type");
  }
}

}  // namespace mallard::lab
