// Processes that measure for another one: their set-up, and the name of their end.
#pragma once

#include <string>

#include "process/process.hpp"

namespace mallard::lab {

using process::make_channel;
using process::read_all;
using process::write_all;

// In a process just forked: interrupts from the terminal are for the parent to handle, and nothing
// outlives it.
void become_helper();

// A crash must leave neither a core file nor text in the middle of the table. When memory runs out,
// this is the process that the system should end.
void be_expendable();

// Why there is no answer, given the status that waitpid() gave.
std::string describe_end(int status, bool timed_out, double timeout_seconds);

}  // namespace mallard::lab
