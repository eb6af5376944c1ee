// The message of the exception that a call ends with.
#pragma once

#include <stdexcept>
#include <string>

namespace mallard_test {

// `none`, where there is none. Exceptions of other types are passed on.
template <class Error = std::runtime_error, class Call>
std::string message_of(const Call& call, const char* none = "") {
  try {
    call();
  } catch (const Error& problem) {
    return problem.what();
  }
  return none;
}

}  // namespace mallard_test
