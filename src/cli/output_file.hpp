// A file that a command writes, or "-", standard output, which then has nothing else.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "process/replaced_file.hpp"

namespace mallard::cli {

inline bool is_standard_output(const std::filesystem::path& path) {
  return path == "-";
}

// Returns: "-" for a name of the file to which standard output goes, such as /dev/stdout; where a
// link leads for a link, so that replacing the file leaves the link; else the name itself.
std::string file_behind(const std::string& name);

// Throws usage_error when both are the same file.
void expect_other_file(const std::filesystem::path& input, const std::filesystem::path& output);

// Throws usage_error if the word is "-", standard output, where `what` cannot be written.
void need_file(std::string_view word, std::string_view what);
// Likewise, if it is a device, a pipe or a folder.
void need_regular_file(std::string_view word, std::string_view what);

// Throws usage_error when a file is there that has something in it.
void refuse_to_replace(const std::filesystem::path& path);

// Throws usage_error where the file cannot be written, before anything is run for it: its folder is
// named, and `option`, which names another. The file is as it was.
void expect_writable(const std::filesystem::path& path, std::string_view option);

// Throws std::runtime_error with one line.
void copy_to(const std::filesystem::path& path, const std::filesystem::path& from);

// Effects: calls `write` with the name of a file beside `path`, which then takes its place. Where
// `write` throws std::runtime_error, the file at `path` is as it was, and the error names it.
// Returns: the result of `write`.
template <class Write>
auto write_whole(const std::filesystem::path& path, const Write& write) {
  process::replaced_file to(path);
  const std::string beside = to.path().string();
  try {
    auto result = write(beside);
    to.finish();
    return result;
  } catch (const std::runtime_error& problem) {
    std::string text = problem.what();
    if (!text.starts_with(beside)) throw;
    throw std::runtime_error(text.replace(0, beside.size(), path.string()));
  }
}

// Effects: `write` writes to the stream what goes to standard output, or is the file then. Throws
// std::runtime_error with one line.
void write_stream(const std::filesystem::path& path,
                  const std::function<void(std::ostream&)>& write);
void write_text(const std::filesystem::path& path, const std::string& text);

// A word to the user, where it is not in the way of what was written to `out`.
template <class... Arguments>
void say(const std::filesystem::path& out, fmt::format_string<Arguments...> text,
         Arguments&&... arguments) {
  fmt::print(is_standard_output(out) ? stderr : stdout, text,
             std::forward<Arguments>(arguments)...);
}

}  // namespace mallard::cli
