// The trace that a command takes where none is named.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profile/trace/trace_reader.hpp"

namespace mallard::cli {

// `named`, or where it is empty the newest trace of the current directory, which is told on stderr.
// Throws usage_error where there is none.
std::string trace_or_newest(const std::string& named);

// The help of an argument that names a trace, and of one that may also be sums of stacks.
inline constexpr const char* trace_only_help =
    "A trace of `mallard record` (default: the newest here), or heaptrack's file";
inline constexpr const char* trace_help =
    "A trace of `mallard record` (default: the newest here), heaptrack's file, DHAT's JSON, or a "
    "heap profile of pprof's, tcmalloc's or jemalloc's";

// The trace, with symbols; other recorders' files are imported on the way, and what of them cannot
// be read is said on stderr. Throws std::runtime_error, in one line.
std::unique_ptr<profile::trace_reader> open_trace(const std::string& path);

// The same for commands that take a trace, or a command to run after "--" (`is_command`).
// Throws usage_error where there is none, and where a command is missing.
std::vector<std::string> words_or_newest_trace(const std::vector<std::string>& words,
                                               bool is_command);

}  // namespace mallard::cli
