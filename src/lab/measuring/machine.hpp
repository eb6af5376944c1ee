// Facts about the machine, as far as the system tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mallard::lab {

struct machine_info {
  std::string cpu;
  unsigned cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  std::uint64_t page_bytes = 0;
  std::string transparent_hugepages;  // "always", "madvise", "never" or "unknown"
  std::uint64_t l1d_bytes = 0;        // 0: unknown
  std::uint64_t l2_bytes = 0;
  std::uint64_t l3_bytes = 0;
};

machine_info this_machine();

// The current time as ISO 8601 in UTC.
std::string utc_now();

// The first line of a file in /proc or /sys; empty if it cannot be read.
std::optional<std::string> read_line(const char* path);

// The word in brackets in a line such as "always [madvise] never"; "unknown" if there is none.
std::string chosen_word(std::string_view line);

}  // namespace mallard::lab
