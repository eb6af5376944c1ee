// Purpose: an import's result: how much it made of a file, and the lines that it could not read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/trace/trace_writer.hpp"

namespace mallard::profile {

struct import_result {
  std::uint64_t events = 0;
  std::uint64_t lost = 0;             // lines that were not understood, and a missing end
  std::vector<std::string> problems;  // the first ten of these, a line each

  void not_understood(const std::string& file, std::uint64_t line);
  void ends_in_the_middle(const std::string& file);
  // Effects: the trace says that events are missing, so that whoever reads it knows.
  void note_losses(trace_writer& trace) const;
};

}  // namespace mallard::profile
