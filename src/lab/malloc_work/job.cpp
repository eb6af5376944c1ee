#include "lab/malloc_work/job.hpp"

#include <cassert>

namespace mallard::lab {
namespace {

struct figure_row {
  std::string_view name;
  std::string_view unit;
};
// In the order of the enumeration.
constexpr figure_row figures[] = {
    {"time", "s"},
    {"time_with_threads", "s"},
    {"user", "s"},
    {"system", "s"},
    {"per_op", "s"},
    {"throughput", "1/s"},
    {"rss", "B"},
    {"malloc_p50", "s"},
    {"malloc_p99", "s"},
    {"malloc_p999", "s"},
    {"free_p50", "s"},
    {"free_p99", "s"},
    {"free_p999", "s"},
    {"peak_rss", "B"},
    {"end_rss", "B"},
    {"peak_dynamic", "B"},
    {"end_dynamic", "B"},
    {"elapsed", "s"},
    {"requested", "B"},
    {"heap", "B"},
    {"mmap", "B"},
    {"mmap_so", "B"},
    {"reserved_none", "B"},
    {"total_dynamic", "B"},
    {"total_dynamic_thesis", "B"},
};
static_assert(std::size(figures) ==
              static_cast<std::size_t>(malloc_figure::total_dynamic_thesis) + 1);

}  // namespace

std::string_view to_string(malloc_bench bench) {
  switch (bench) {
    case malloc_bench::churn:
      return "churn";
    case malloc_bench::thrash:
      return "thrash";
    case malloc_bench::scratch:
      return "scratch";
    case malloc_bench::speed:
      return "speed";
    case malloc_bench::memory:
      return "memory";
    case malloc_bench::larson:
      return "larson";
    case malloc_bench::remote_free:
      return "remote-free";
    case malloc_bench::mixed:
      return "mixed-malloc";
  }
  return "?";
}

std::string_view name_of(malloc_figure what) {
  return figures[static_cast<std::size_t>(what)].name;
}

std::string_view unit_of(malloc_figure what) {
  return figures[static_cast<std::size_t>(what)].unit;
}

void malloc_readings::add(malloc_figure what, double value, std::size_t group) {
  assert(count_ < all_.size());
  all_[count_++] = {static_cast<std::uint16_t>(group), what, value};
}

}  // namespace mallard::lab
