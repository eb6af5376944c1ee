// The command line makes no sense; the text is one line for the user.
#pragma once

#include "lab/measuring/usage_error.hpp"

namespace mallard::cli {

using lab::usage_error;

}  // namespace mallard::cli
