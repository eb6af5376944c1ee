// The time that a program takes as it is.
#pragma once

#include "whatif/program_runner.hpp"

namespace mallard::advise {

struct plain_time {
  double seconds = 0;            // from start to end
  double undisturbed = 0;        // what that would be without the other work on the machine
  double processor_seconds = 0;  // of the program and its children
  double metric = 0;             // that it wrote, in the median; not a number: it wrote none
  int status = 0;                // as of waitpid
  whatif::run_figures last = {};
};

// Runs it until so many seconds have passed, once at least and at most five times: medians. Its
// output goes nowhere; `environment` is set for it. A run that takes longer than `longest` seconds
// is ended; 0: it may take any time. Throws std::system_error if it cannot be started.
plain_time time_program(whatif::program_runner& runner, double enough_seconds,
                        const process::environment& environment = {}, double longest = 0);

// From the program's start to its end, without what it waited for processors that others used: as
// much of its waiting as the processors were busy with others.
double undisturbed_seconds(const whatif::run_figures& run, unsigned processors);

}  // namespace mallard::advise
