// Starts other processes, talks to them and waits for them. All that the command starts goes
// through here: programs that are run or recorded, and helpers that are copies of the command.
//
// A process that was just forked may be a copy of one with many threads: `become` allocates only
// for words and variables that it was given, and nobody calls anything else of here in between.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mallard::process {

using environment = std::vector<std::pair<std::string, std::string>>;

// Two descriptors, which a program that is executed does not get.
struct ends {
  int mine;  // the end of a pipe that reads
  int theirs;
};
// Both ends read and write. Throws std::system_error.
ends make_channel();
// Throws std::system_error.
ends make_pipe();

// False: not everything came, since the other end is gone, or a signal came and `give_up` said yes.
bool read_all(int channel, void* value, std::size_t size, bool (*give_up)() = nullptr);
// False: the other end is gone; no signal is sent.
bool write_all(int channel, const void* value, std::size_t size);

// Forks. Returns 0 in the child. Throws std::system_error.
pid_t copy_of_this();

// Makes this process end when the one that started it does.
void end_with_parent();

// Executes the program in this process, with those variables set besides its own. If it cannot be
// executed, writes errno to `failure` and ends the process with status 127.
[[noreturn]] void become(const std::vector<std::string>& command, const environment& set,
                         int failure);

// Reads errno of a failed `become` from the other end of its `failure`; 0: the program was
// executed.
int why_not_executed(int failure);

// Waits for its end, whatever signals come. Returns its status, as waitpid does.
int wait_for(pid_t child, rusage* used = nullptr);

// The text of a file, as of one in /proc; empty where it cannot be read, or its process has ended
// since it was opened.
std::string file_text(const std::string& path);

// The processes that /proc shows now.
std::vector<pid_t> all_processes();
// Its parent; 0: there is no such process.
pid_t parent_of(pid_t pid);
// The state of a process's first thread, as in /proc; 'X': there is no such process.
char state_of(pid_t pid);
// Whether none of its threads runs any more: its first one may have ended before the others.
bool has_ended(pid_t pid);

// "; this takes 4120 MiB of address space, and ulimit -v allows 400 MiB": what to add where
// memory of that size cannot be had (EFBIG: where a file of that size, and ulimit -f); empty where
// no limit is set.
std::string limit_note(std::size_t bytes, int error = ENOMEM);

// "; ulimit -v allows 400 MiB", or also of -d: to add where memory cannot be had; empty where no
// limit is set.
std::string memory_limits();

// Throws std::system_error by errno: memory of that size could not be shared with the program.
[[noreturn]] void fail_to_share(std::size_t bytes);

double seconds_of(const timeval& time);
double processor_seconds_of(const rusage& used);

// "signal 11 (Segmentation fault)".
std::string describe_signal(int number);
// "was killed by signal 11 (Segmentation fault)", "ended with status 3".
std::string describe_end(int status);

}  // namespace mallard::process
