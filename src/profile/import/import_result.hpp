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

inline void import_result::not_understood(const std::string& file, std::uint64_t line) {
  constexpr std::uint64_t most_problems = 10;
  if (++lost > most_problems) return;
  problems.push_back(file + ":" + std::to_string(line) + ": is not understood");
}

inline void import_result::ends_in_the_middle(const std::string& file) {
  ++lost;
  problems.push_back(file + ": ends in the middle");
}

inline void import_result::note_losses(trace_writer& trace) const {
  if (lost != 0) trace.loss({.thread = 0, .dropped = lost});
}

}  // namespace mallard::profile
