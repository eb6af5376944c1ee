// Purpose: an import's result: how much was imported, and the lines that could not be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/trace/trace_writer.hpp"

namespace mallard::profile {

struct import_result {
  std::uint64_t events = 0;
  std::uint64_t lost = 0;             // malformed lines, and a missing end
  std::vector<std::string> problems;  // the first ten of these

  void not_understood(const std::string& file, std::uint64_t line);
  void ends_in_the_middle(const std::string& file);
  // Effects: notes in the trace that events are missing.
  void note_losses(trace_writer& trace) const;
};

}  // namespace mallard::profile
