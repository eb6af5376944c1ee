// Numbers and names as the commands for traces print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::cli {

// While a process is attached to.
std::string waits_long_text(int pid);

using base::bytes_text;

// At most so many characters, with an ellipsis where some were left out, and a question mark for
// what would move the cursor.
std::string fitted(std::string text, std::size_t width);
// The same for the name of a function: without parameters and template arguments where the whole
// does not fit.
std::string fitted_function(const std::string& name, std::size_t width);
// "parse  server.cpp:12"; the function alone where the file is not known.
std::string place_text(const std::string& function, const std::string& file, unsigned line);
// A number from 0 to 1 with a bar of four characters; "-" where there is none.
std::string value_with_bar(const std::optional<double>& value, bool colour);
// Each problem on stderr, in a line of its own.
void warn(const std::vector<std::string>& problems);

// After the events were read: says on stderr what the trace lacks. Returns whether it is whole.
bool warn_if_not_whole(const profile::trace_reader& trace, const std::string& name);

}  // namespace mallard::cli
