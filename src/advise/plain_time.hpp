// How long a program takes as it is.
#pragma once

#include "whatif/program_runner.hpp"

namespace mallard::advise {

struct plain_time {
  double seconds = 0;            // from start to end
  double processor_seconds = 0;  // of the program and its children
  int status = 0;                // as of waitpid
  whatif::run_figures last = {};
};

// Runs it until so many seconds have passed, once at least and at most five times: medians. Its
// output goes nowhere. Throws std::system_error if it cannot be started.
plain_time time_program(whatif::program_runner& runner, double enough_seconds);

}  // namespace mallard::advise
