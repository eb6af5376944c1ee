// Shared by processes that measure for another one: their set-up, their messages, and the name of
// their end.
#pragma once

#include <cstddef>
#include <string>

namespace mallard::lab {

struct channel_pair {
  int mine;
  int theirs;
};

// Closed where another program is started. Throws std::system_error.
channel_pair make_channel();

// All bytes or nothing; restarts after signals unless `give_up` says so.
bool read_all(int channel, void* value, std::size_t size, bool (*give_up)() = nullptr);
bool write_all(int channel, const void* value, std::size_t size);

// In a process just forked: interrupts from the terminal are for the parent to handle, and nothing
// outlives it.
void become_helper();

// A crash must leave neither a core file nor text in the middle of the table. When memory runs out,
// this is the process that the system should end.
void be_expendable();

// Why there is no answer, given the status that waitpid() gave.
std::string describe_end(int status, bool timed_out, double timeout_seconds);

}  // namespace mallard::lab
