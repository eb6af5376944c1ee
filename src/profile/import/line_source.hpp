// Reads lines of a text file, which may be compressed.
#pragma once

#include <cstdint>
#include <string>

#include "profile/import/packed_file.hpp"

namespace mallard::profile {

class line_source {
 public:
  // Throws std::runtime_error, with one line, if the file cannot be read.
  explicit line_source(const std::string& path) : input_(path) {}

  // Effects: sets `line` to the next one, without its end. Returns: false at the end of the
  // readable part.
  bool next(std::string& line);
  // Whether the compressed data is truncated or damaged.
  bool damaged() const { return input_.damaged(); }
  std::uint64_t line_number() const { return number_; }

 private:
  packed_file input_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace mallard::profile
