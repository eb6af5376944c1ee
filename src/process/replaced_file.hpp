// A file that is written beside the one whose place it takes when it is complete.
//
//   replaced_file to(out);
//   write_to(to.path());
//   to.finish();
//
// Whoever reads `out` sees the old file or the new one, never a part, and the old one stays where
// that cannot be written, also where an interrupt ends us. A device, a pipe, a link, or a file in a
// folder where nothing can be made is written itself.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>

#include "process/removed_when_killed.hpp"

namespace mallard::process {

class replaced_file {
 public:
  explicit replaced_file(std::filesystem::path out);
  // Removes it unless it is finished.
  ~replaced_file();
  replaced_file(const replaced_file&) = delete;
  replaced_file& operator=(const replaced_file&) = delete;

  // The path to write to, where an empty file is; and the name of the file that it becomes.
  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& name() const { return out_; }
  // Throws std::runtime_error, with one line.
  void finish();

 private:
  std::filesystem::path out_;
  std::filesystem::path path_;
  std::optional<removed_when_killed> removed_;
};

// Effects: `write` writes to the stream what then is the file `out`. Throws std::runtime_error,
// with one line.
void replace_file(const std::filesystem::path& out,
                  const std::function<void(std::ostream&)>& write);

}  // namespace mallard::process
