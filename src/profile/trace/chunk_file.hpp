// A trace file as a list of its chunks, found by the index or, where that is missing or the file is
// damaged, by looking for headers.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "profile/trace/chunk.hpp"

namespace mallard::profile {

// Not damage: somebody asked for the end.
struct reading_interrupted : std::runtime_error {
  reading_interrupted() : std::runtime_error("interrupted") {}
};

struct chunk_place {
  std::uint64_t offset = 0;  // of the header
  chunk_header header;
};

class chunk_file {
 public:
  // Throws std::runtime_error, in one line, if the file cannot be read or is not a trace.
  explicit chunk_file(const std::string& path);
  ~chunk_file();
  chunk_file(const chunk_file&) = delete;
  chunk_file& operator=(const chunk_file&) = delete;

  const std::vector<chunk_place>& chunks() const { return chunks_; }
  // The file was finished by its writer, and nothing of it was found damaged so far.
  bool undamaged() const { return problems_.empty(); }
  std::uint64_t bytes() const { return bytes_; }
  // Unreadable parts of the file, a line each.
  const std::vector<std::string>& problems() const { return problems_; }

  // Effects: `out` is what the chunk holds, uncompressed. Returns: whether it is undamaged; if not,
  // problems() has a line more.
  // Throws reading_interrupted once what interrupted_by() was given says so; asked from any thread.
  bool load(const chunk_place& place, std::string& out);
  void interrupted_by(bool (*asked)()) { interrupted_ = asked; }
  void add_problem(const chunk_place& place, const std::string& what);

 private:
  std::string read(std::uint64_t offset, std::size_t bytes) const;
  bool read_index();
  void scan(std::uint64_t from);
  std::uint64_t next_header(std::uint64_t from) const;

  std::string path_;
  int file_;
  std::uint64_t bytes_ = 0;
  std::vector<chunk_place> chunks_;
  std::vector<std::string> problems_;
  decompressor decompressor_;
  bool (*interrupted_)() = nullptr;
};

}  // namespace mallard::profile
