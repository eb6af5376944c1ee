// Purpose: the mappings of another process: its modules, their symbols, its bytes. Reading them
// stops none of its threads.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::profile {

struct address_range {
  std::uint64_t start = 0;
  std::uint64_t end = 0;

  bool has(std::uint64_t address) const { return address >= start && address < end; }
};

struct mapping {
  address_range range;
  bool is_code = false;
  std::string path;  // empty: not mapped from a file
};

// In the order of addresses. Returns: nothing if the process does not exist or may not be
// inspected.
std::vector<mapping> mappings_of(pid_t pid);

// Whether this is the file's name, with or without a version: "libc.so.6", "libc-2.31.so".
bool is_named(const mapping& one, std::string_view name);

class process_memory {
 public:
  explicit process_memory(pid_t pid);
  ~process_memory();
  process_memory(const process_memory&) = delete;
  process_memory& operator=(const process_memory&) = delete;

  // Returns: whether all of it was read, or written. Write-protected pages can be written, too.
  bool read(std::uint64_t address, void* to, std::size_t bytes) const;
  bool write(std::uint64_t address, const void* from, std::size_t bytes) const;

  // The functions and objects that the module at this address exports.
  std::map<std::string, std::uint64_t> symbols(std::uint64_t module) const;

 private:
  template <class T>
  std::optional<T> get(std::uint64_t address) const {
    T out;
    return read(address, &out, sizeof out) ? std::optional<T>(out) : std::nullopt;
  }
  int file_;
};

}  // namespace mallard::profile
