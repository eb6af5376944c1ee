#include "advise/bound.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advise/advice_text.hpp"

namespace mallard::advise {
namespace {

std::uint64_t near_bytes(const std::vector<std::uint64_t>& caches) {
  constexpr std::uint64_t usual = 1u << 20;
  return caches.size() > 1 ? caches[1] : usual;
}

}  // namespace

std::uint64_t program_time(const profile::dims_result& dims) {
  if (dims.all.cpu_ns == 0) return dims.duration;
  return dims.duration == 0 ? dims.all.cpu_ns : std::min(dims.all.cpu_ns, dims.duration);
}

bool is_spread_out(const profile::dims_result& dims) {
  constexpr std::uint64_t some = 6;
  return dims.total.peak_bytes > some * near_bytes(dims.cache_bytes);
}

bool is_known(const std::optional<profile::heap_share>& heap) {
  constexpr double widest = 0.5;
  return heap && heap->high - heap->low < widest;
}

std::string heap_text(const std::optional<profile::heap_share>& heap) {
  constexpr const char* of_the_time = "of the program's time is in its heap operations";
  if (!is_known(heap)) return fmt::format("it is not known how much {}", of_the_time);
  return fmt::format("{:.1f} % ({:.1f} to {:.1f}{}) {}", 100 * heap->share, 100 * heap->low,
                     100 * heap->high, heap->measured ? "" : ", estimated", of_the_time);
}

void take_measured_bound(advice_report& report) {
  if (!report.bound) return;
  const auto lift = [&](const candidate& of, const std::optional<trial_figures>& tried) {
    if (!tried || tried->times.median <= report.bound->times.median) return;
    report.bound = tried;
    report.bound_of = name_of(of);
  };
  for (const advice& one : report.advices) lift(one.from, one.tried);
  for (const considered& one : report.others) lift(one.from, one.tried);
  const double most = std::max(1.0, report.bound->times.median);
  for (advice& one : report.advices) one.from.bound = most;
  for (considered& one : report.others) one.from.bound = most;
}

// As much as it can be: few samples, or none, of a short program do not say that its heap takes
// nothing.
std::uint64_t most_in_heap(const profile::subsystem& one, const profile::dims_result& dims,
                           std::uint64_t program_ns) {
  const auto all = static_cast<double>(dims.all.allocation_ns);
  const double part = all > 0 ? static_cast<double>(one.allocation_ns) / all : 1;
  const double share = dims.heap ? dims.heap->high : 1;
  return static_cast<std::uint64_t>(std::min(1.0, part * share) * static_cast<double>(program_ns));
}

double bound_times(double most, double program) {
  if (program <= 0) return 1;
  // All of a program is never gained: what is left then is a hundredth.
  return program / std::max(program - most, program / 100);
}

gain_bound bound_of(const profile::subsystem& one, const profile::dims_result& dims) {
  gain_bound out;
  out.program_ns = program_time(dims);
  if (out.program_ns == 0) return out;
  out.allocation_ns = std::min(one.heap_ns, out.program_ns);
  // Whoever made the blocks, all of the program may use them.
  const std::uint64_t heap = std::min(dims.all.heap_ns, out.program_ns);
  const std::uint64_t others = out.program_ns - std::max(heap, out.allocation_ns);
  // Where neighbours in time are none in space, each block is as far away as it can be.
  const double diffusion = std::max({1.0, one.where.page_diffusion, one.where.line_diffusion});
  const double lost = std::max(1 - 1 / diffusion, 1 - std::clamp(one.where.neighbours, 0.0, 1.0));
  if (one.where.peak_bytes > near_bytes(dims.cache_bytes)) {
    out.placement_ns = static_cast<std::uint64_t>(static_cast<double>(others) * lost);
  }
  const std::uint64_t most = std::max(out.allocation_ns, most_in_heap(one, dims, out.program_ns));
  out.times = bound_times(static_cast<double>(most + out.placement_ns),
                          static_cast<double>(out.program_ns));
  return out;
}

}  // namespace mallard::advise
