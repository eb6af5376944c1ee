// Standard input that several runs of a program can read, each from its start.
#pragma once

#include <functional>

namespace mallard::process {

inline constexpr const char* silent_input =
    "its input is a pipe that brought nothing in two seconds, so it has none: pass a file (< FILE)";

// Effects: if standard input is a pipe or a socket, reads it to its end, into a temporary file that
// takes its place. If nothing comes within two seconds, as from a pipe that somebody forgot to
// close, /dev/null does, and the result is false. Calls `waits` once if it has to wait. Throws
// std::runtime_error, with one line, if there is no room for the file, or it has more than 1 GiB.
bool make_input_repeatable(bool (*interrupted)(), const std::function<void()>& waits);

}  // namespace mallard::process
