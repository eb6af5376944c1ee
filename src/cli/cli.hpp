// The mallard command. Everything but main(), so that tests can call it.
#pragma once

namespace mallard::cli {

// Exit statuses.
inline constexpr int success = 0;
inline constexpr int failure = 1;        // something failed, also: some cells failed
inline constexpr int bad_usage = 2;      // the command line makes no sense
inline constexpr int interrupted = 130;  // as the shell has it for SIGINT

// Runs one command and gives its exit status. Errors are one line on standard error.
int run(int argc, const char* const* argv);

}  // namespace mallard::cli
