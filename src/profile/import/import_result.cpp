#include "profile/import/import_result.hpp"

namespace mallard::profile {

void import_result::not_understood(const std::string& file, std::uint64_t line) {
  constexpr std::uint64_t most_problems = 10;
  if (++lost > most_problems) return;
  problems.push_back(file + ":" + std::to_string(line) + ": is not understood");
}

void import_result::ends_in_the_middle(const std::string& file) {
  ++lost;
  problems.push_back(file + ": ends in the middle");
}

void import_result::note_losses(trace_writer& trace) const {
  if (lost != 0) trace.loss({.thread = 0, .dropped = lost});
}

}  // namespace mallard::profile
