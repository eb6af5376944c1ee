// Bad input on the command line: printed as one line, exit status 2.
#pragma once

#include <stdexcept>

namespace mallard::cli {

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace mallard::cli
