#include "profile/contention.hpp"

#include <algorithm>

#include "profile/sample_groups.hpp"

namespace mallard::profile {
namespace {

double count_of(const thread_counts& operations) {
  double out = 0;
  for (const auto& [thread, times] : operations) out += static_cast<double>(times);
  return out;
}

// The recorder's time for an operation. Between operations a thread may also wait for something
// else, so no more is believed beside waits for the recorder: docs/recording.md has what an event
// costs.
double recorder_ns(double between_operations, double operations, double waited) {
  constexpr double most = 100;
  if (operations == 0) return 0;
  return (waited + std::clamp(between_operations - waited, 0.0, most * operations)) / operations;
}

// Without the recorder's time. Where some processor is always busy, the rest of the time shrinks
// with it; else it passes all the same.
double plain_wall(double wall, double program, double recorder) {
  const double busy = program + recorder;
  return busy > wall ? wall * program / busy : wall - recorder;
}

}  // namespace

contention::contention(std::span<const stretch_counts> parts, double wall_ns,
                       const recorder_times& times) {
  const auto program_ns = [&](const stretch_counts& one) {
    return std::max(one.busy, static_cast<double>(one.samples) * times.sample_ns);
  };
  double program = 0, operations = 0, threads_time = 0;
  for (const stretch_counts& one : parts) {
    program += program_ns(one);
    operations += count_of(one.operations);
    threads_time += wall_ns * static_cast<double>(one.operations.size());
  }
  if (operations > 0) operation_ns_ = times.share * program / operations;
  const double of_recorder = recorder_ns(threads_time - program, operations, times.waited_ns);
  for_each_group(
      parts.size(), [&](std::size_t i) { return static_cast<double>(parts[i].samples); },
      [&](std::size_t first, std::size_t last) {
        double some_program = 0, recorder = 0;
        for (std::size_t i = first; i < last; ++i) {
          some_program += program_ns(parts[i]);
          recorder += of_recorder * count_of(parts[i].operations);
        }
        const auto count = static_cast<double>(last - first);
        walls_ns_.resize(last, plain_wall(count * wall_ns, some_program, recorder) / count);
      });
}

double contention::of(std::span<const stretch_counts> parts, std::size_t first,
                      std::size_t last) const {
  double all = 0, in_company = 0;
  for (std::size_t i = first; i < last; ++i) {
    in_company += operations_in_company(parts[i].operations, operation_ns_, walls_ns_[i]);
    all += count_of(parts[i].operations);
  }
  return all > 0 ? in_company / all : 0;
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
