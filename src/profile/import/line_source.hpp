// Reads lines of a text file: plain, gzip or zstd, detected by its first bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace mallard::profile {

class line_source {
 public:
  // Throws std::runtime_error, with one line, if the file cannot be read.
  explicit line_source(const std::string& path);
  ~line_source();
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;

  // Effects: sets `line` to the next one, without its end. Returns: false at the end of the
  // readable part.
  bool next(std::string& line);
  // Whether the compressed data is truncated or damaged.
  bool damaged() const;
  std::uint64_t line_number() const { return number_; }

 private:
  class input;
  std::unique_ptr<input> input_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace mallard::profile
