// The trace that a command takes where none is named.
#pragma once

#include <string>
#include <vector>

namespace mallard::cli {

// `named`, or where it is empty the newest trace of the current directory, which is told on stderr.
// Throws usage_error where there is none.
std::string trace_or_newest(const std::string& named);

// The same for commands that take a trace, or a command to run after "--" (`is_command`).
// Throws usage_error where there is none, and where a command is missing.
std::vector<std::string> words_or_newest_trace(const std::vector<std::string>& words,
                                               bool is_command);

}  // namespace mallard::cli
