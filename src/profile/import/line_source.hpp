// Lines of a text file that may be compressed: plain, gzip or zstd, told by its first bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace mallard::profile {

class line_source {
 public:
  // Throws std::runtime_error, in one line, if the file cannot be read.
  explicit line_source(const std::string& path);
  ~line_source();
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;

  // Effects: `line` is the next one, without its end. Returns: false at the end of the file, or of
  // what of it can be read.
  bool next(std::string& line);
  // The compressed data ends in the middle or is damaged.
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
