// What the program runs on, as far as the system tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/results.hpp"

namespace mallard::lab {

machine_info this_machine();

// Now, as ISO 8601 in UTC.
std::string utc_now();

// The first line of a file of /proc or /sys; empty when it cannot be read.
std::optional<std::string> read_line(const char* path);

// The value in brackets of a file like "always [madvise] never"; "unknown" when there is none.
std::string chosen_word(std::string_view line);

}  // namespace mallard::lab
