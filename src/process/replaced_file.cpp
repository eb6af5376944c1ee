#include "process/replaced_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace mallard::process {

namespace fs = std::filesystem;

replaced_file::replaced_file(fs::path out) : out_(std::move(out)), path_(out_) {
  std::error_code none;
  const fs::file_type type = fs::symlink_status(out_, none).type();
  const bool is_there = type == fs::file_type::regular;
  if (!is_there && type != fs::file_type::not_found) return;
  fs::path beside = out_;
  beside += '.' + std::to_string(getpid()) + ".tmp";
  removed_.emplace(beside);
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  close(file);
  path_ = beside;
  if (is_there) fs::permissions(path_, fs::status(out_, none).permissions(), none);
}

replaced_file::~replaced_file() {
  std::error_code none;
  if (path_ != out_) fs::remove(path_, none);
}

void replaced_file::finish() {
  if (path_ == out_) return;
  std::error_code problem;
  fs::rename(path_, out_, problem);
  if (problem)
    throw std::runtime_error(out_.string() + ": cannot be written: " + problem.message());
  path_ = out_;
  removed_.reset();
}

void replace_file(const fs::path& out, const std::function<void(std::ostream&)>& write) {
  replaced_file to(out);
  errno = EIO;  // unless the system says another reason
  std::ofstream file(to.path(), std::ios::binary);
  write(file);
  file.close();
  if (!file) {
    throw std::runtime_error(out.string() +
                             ": cannot be written: " + std::generic_category().message(errno));
  }
  to.finish();
}

}  // namespace mallard::process
