#include "profile/density.hpp"

#include <algorithm>
#include <cmath>

#include "profile/sample_groups.hpp"

namespace mallard::profile {
namespace {

// The 95 % interval of a normal distribution, in standard deviations around the mean.
constexpr double deviations = 1.96;

// The assumed error of a share by timed operations: relative to itself, and to the whole time.
// Programs with a known share of 0.41 were measured as 0.01, some with 0.32 as 0.21.
constexpr double error_of_timed = 0.5;
constexpr double least_error_of_timed = 0.15;

// The recorder adds an error to both: its data take the caches' room, so operations take longer
// than alone, once in a while by half or more. One standard deviation of the logarithm of the odds;
// programs that know their share had 0 to 1, those of Debian -0.2 to 0.4.
constexpr double error_beside_recorder = 0.35;

struct guess {
  double share = 0;
  double error = 1;  // one standard deviation
};

guess both(const guess& a, const guess& b) {
  const double of_a = 1 / (a.error * a.error), of_b = 1 / (b.error * b.error);
  return {(a.share * of_a + b.share * of_b) / (of_a + of_b), 1 / std::sqrt(of_a + of_b)};
}

// Wilson's interval: also valid for few samples, and if none is in the heap.
guess of_looks(double share, double looks) {
  const double square = deviations * deviations;
  const double centre = (share + square / (2 * looks)) / (1 + square / looks);
  const double half =
      std::sqrt(share * (1 - share) / looks + square / (4 * looks * looks)) / (1 + square / looks);
  return {centre, half};
}

guess beside_recorder(const guess& of) {
  const double share = std::clamp(of.share, 0.0, 1.0);
  return {of.share, std::hypot(of.error, error_beside_recorder * share * (1 - share))};
}

heap_share with_interval(const guess& of, std::uint64_t looks) {
  heap_share out;
  out.share = std::clamp(of.share, 0.0, 1.0);
  out.low = std::clamp(of.share - deviations * of.error, 0.0, 1.0);
  out.high = std::clamp(of.share + deviations * of.error, 0.0, 1.0);
  out.looks = looks;
  return out;
}

}  // namespace

heap_share share_of_looks(std::uint64_t in_heap, std::uint64_t looks) {
  const double found = static_cast<double>(in_heap) / static_cast<double>(looks);
  heap_share out = with_interval(of_looks(found, static_cast<double>(looks)), looks);
  out.share = found;
  out.low = std::min(out.low, found);
  out.high = std::max(out.high, found);
  return out;
}

std::optional<heap_share> estimated_share(const subsystem& all) {
  if (!all.dims.D.scaled || all.cpu_ns == 0) return std::nullopt;
  const double timed = std::min(1.0, *all.dims.D.scaled);
  const guess by_time{timed, std::max(least_error_of_timed, error_of_timed * timed)};
  // The recorder may not have said which samples are in the heap.
  if (all.looks_in_heap == 0) return with_interval(beside_recorder(by_time), all.looks);
  const auto looks = static_cast<double>(all.looks);
  const guess by_looks = of_looks(static_cast<double>(all.looks_in_heap) / looks, looks);
  return with_interval(beside_recorder(both(by_time, by_looks)), all.looks);
}

void take_heap_share(dims_result& dims, const heap_share& share) {
  dims.heap = share;
  const auto timed = static_cast<double>(dims.all.allocation_ns);
  const double times = timed > 0 ? share.share * static_cast<double>(dims.all.cpu_ns) / timed : 0;
  const auto spread = [&](dimension& D, std::uint64_t allocation_ns, std::uint64_t cpu_ns) {
    const double wanted = times * static_cast<double>(allocation_ns);
    if (cpu_ns > 0) D.scaled = std::min(1.0, wanted / static_cast<double>(cpu_ns));
    // Samples may be few, and fewest in threads that end soon: no heap's time is lost for them.
    return static_cast<std::uint64_t>(wanted);
  };
  const double looks_of_ns = static_cast<double>(share.looks) /
                             static_cast<double>(std::max<std::uint64_t>(1, dims.all.cpu_ns));
  const auto spread_windows = [&](std::vector<window>& windows) {
    for_each_group(
        windows.size(),
        [&](std::size_t i) { return looks_of_ns * static_cast<double>(windows[i].cpu_ns); },
        [&](std::size_t first, std::size_t last) {
          std::uint64_t allocation_ns = 0, cpu_ns = 0;
          for (std::size_t i = first; i < last; ++i) {
            allocation_ns += windows[i].allocation_ns;
            cpu_ns += windows[i].cpu_ns;
          }
          for (std::size_t i = first; i < last; ++i) {
            if (windows[i].cpu_ns > 0) spread(windows[i].dims.D, allocation_ns, cpu_ns);
          }
        });
  };
  for (subsystem& one : dims.subsystems) {
    one.heap_ns = spread(one.dims.D, one.allocation_ns, one.cpu_ns);
    spread_windows(one.windows);
  }
  spread_windows(dims.all.windows);
  dims.all.heap_ns = static_cast<std::uint64_t>(share.share * static_cast<double>(dims.all.cpu_ns));
  dims.all.dims.D.scaled = share.share;
}

}  // namespace mallard::profile
