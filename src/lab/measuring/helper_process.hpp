// Processes that measure for another one: their set-up, and the description of their end.
#pragma once

#include <string>

#include "process/process.hpp"

namespace mallard::lab {

using process::make_channel;
using process::read_all;
using process::write_all;

// Called in a process just forked: leaves interrupts from the terminal to the parent, and ends with
// it.
void become_helper();

// A crash must leave neither a core file nor text in the table. If memory runs out, the system
// should end this process.
void be_expendable();

// The reason why there is no answer, from the status of waitpid().
std::string describe_end(int status, bool timed_out, double timeout_seconds);

}  // namespace mallard::lab
