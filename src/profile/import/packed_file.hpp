// Reads a file's bytes: plain, gzip or zstd, detected by its first bytes.
#pragma once

#include <memory>
#include <string>

namespace mallard::profile {

class packed_file {
 public:
  // Throws std::runtime_error, with one line, if the file cannot be read.
  explicit packed_file(const std::string& path);
  ~packed_file();
  packed_file(const packed_file&) = delete;
  packed_file& operator=(const packed_file&) = delete;

  // Appends some bytes. Returns: false at the end of the readable part.
  bool append(std::string& out);
  // Whether the compressed data is truncated or damaged.
  bool damaged() const;

 private:
  class input;
  std::unique_ptr<input> input_;
};

}  // namespace mallard::profile
