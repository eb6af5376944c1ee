// A request that makes no sense. The text is one line for the user.
#pragma once

#include <stdexcept>

namespace mallard::lab {

class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mallard::lab
