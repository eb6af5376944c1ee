#include "profile/contention.hpp"

#include <algorithm>

namespace mallard::profile {

double recorder_time(const recorded_stretch& all, double threads_time) {
  // Where an operation comes more seldom, its thread waits for something else.
  constexpr double most = 2000;
  if (all.operations == 0) return 0;
  return std::clamp((threads_time - all.program) / all.operations, 0.0, most);
}

double plain_wall(const recorded_stretch& part, double recorder_ns) {
  const double of_recorder = recorder_ns * part.operations;
  if (part.program == 0) return of_recorder == 0 ? part.wall : 0;
  return part.wall * part.program / (part.program + of_recorder);
}

double operations_in_company(const thread_counts& operations, double operation_ns, double wall_ns) {
  const auto outside = [&](std::uint64_t times) {
    constexpr double least = 1e-9;  // so that it can be divided by
    const double inside = operation_ns * static_cast<double>(times);
    return inside >= wall_ns ? least : std::max(least, 1 - inside / wall_ns);
  };
  double all_outside = 1;
  for (const auto& [thread, times] : operations) all_outside *= outside(times);
  double sum = 0;
  for (const auto& [thread, times] : operations) {
    sum += static_cast<double>(times) * (1 - all_outside / outside(times));
  }
  return sum;
}

}  // namespace mallard::profile
