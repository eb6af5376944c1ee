#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "cli/usage_error.hpp"

namespace mallard::cli {

std::string file_behind(const std::string& name) {
  namespace fs = std::filesystem;
  struct stat named{}, out{};
  if (stat(name.c_str(), &named) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
      named.st_dev == out.st_dev && named.st_ino == out.st_ino) {
    return "-";
  }
  fs::path at = name;
  constexpr int most_links = 40;
  std::error_code none;
  for (int i = 0; i < most_links && fs::is_symlink(at, none); ++i) {
    at = at.parent_path() / fs::read_symlink(at, none);
  }
  return at.string();
}

void expect_other_file(const std::filesystem::path& input, const std::filesystem::path& output) {
  std::error_code no_output_yet;
  if (std::filesystem::equivalent(input, output, no_output_yet)) {
    throw usage_error(
        fmt::format("{}: is the input; the output needs another file", output.string()));
  }
}

void need_file(std::string_view word, std::string_view what) {
  if (word == "-") throw usage_error(fmt::format("-o -: {} needs a file", what));
}

void need_regular_file(std::string_view word, std::string_view what) {
  need_file(word, what);
  std::error_code none;
  if (std::filesystem::exists(word, none) && !std::filesystem::is_regular_file(word, none)) {
    throw usage_error(fmt::format("{}: {} has to be a regular file", word, what));
  }
}

void refuse_to_replace(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code not_there;
  if (!fs::is_regular_file(path, not_there) || fs::file_size(path, not_there) == 0) return;
  throw usage_error(fmt::format("{}: exists already (--force replaces it)", path.string()));
}

void expect_writable(const std::filesystem::path& path, std::string_view option) {
  namespace fs = std::filesystem;
  if (is_standard_output(path)) return;
  std::error_code ignored;
  const bool is_new = !fs::exists(path, ignored);
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | (is_new ? O_CREAT | O_EXCL : 0), 0666);
  if (file < 0) {
    const std::string why = std::generic_category().message(errno);
    throw usage_error(fmt::format("{}: cannot be written in {} ({}); name another place with {}",
                                  path.filename().string(),
                                  fs::absolute(path, ignored).parent_path().string(), why, option));
  }
  close(file);
  if (is_new) unlink(path.c_str());
}

// std::filesystem::copy_file() loses the reason of a failure.
void copy_to(const std::filesystem::path& path, const std::filesystem::path& from) {
  const std::ifstream in(from, std::ios::binary);
  process::replace_file(path, [&](std::ostream& out) {
    out << in.rdbuf() << std::flush;
    // A part that was written is no failure to the stream.
    if (in.rdbuf()->sgetc() != std::char_traits<char>::eof()) out.setstate(std::ios::badbit);
  });
}

void write_stream(const std::filesystem::path& path,
                  const std::function<void(std::ostream&)>& write) {
  if (!is_standard_output(path)) return process::replace_file(path, write);
  write(std::cout);
  if (!std::cout.flush()) throw std::runtime_error("standard output: cannot be written");
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  write_stream(path, [&](std::ostream& out) { out << text << std::flush; });
}

}  // namespace mallard::cli
