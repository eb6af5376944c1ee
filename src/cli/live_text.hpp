// Output of `mallard live`: a screen of a terminal, or plain lines.
#pragma once

#include <string>

#include "watch/rates.hpp"

namespace mallard::cli {

struct live_view {
  std::size_t width = 100;  // characters
  std::size_t rows = 24;    // lines
  bool colour = false;
  bool by_live_bytes = false;  // functions with most of them first, not those that allocate most
};

// At most `rows` lines, each ended; `keys`: which keys do what, the last line.
std::string live_screen(const watch::reading& now, const watch::rates& what,
                        const std::string& title, const live_view& view);
// A line for the program, and one for each of the first functions and threads.
std::string live_lines(const watch::reading& now, const watch::rates& what, const live_view& view);
// When it has ended: since its start.
std::string live_summary(const watch::reading& last);

}  // namespace mallard::cli
