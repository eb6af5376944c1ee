// Finds the kernels of the series benches by name.
#include <array>

#include "lab/kernels/series_kernels.hpp"
#include "lab/measuring/contender.hpp"

namespace mallard::lab {

// In series_global.cpp, and in the files that CMake makes of series.cpp.in.
extern const family_kernels global_series, mallard_series, std_series;
#ifdef MALLARD_LAB_BOOST
extern const family_kernels boost_series;
#endif

namespace {

const family_kernels* find_family(std::string_view peer) {
  if (peer == global_peer) return &global_series;
  if (peer == "mallard") return &mallard_series;
  if (peer == "std") return &std_series;
#ifdef MALLARD_LAB_BOOST
  if (peer == "boost") return &boost_series;
#endif
  return nullptr;
}

}  // namespace

kernel_of<locality_work> find_locality_kernel(const column& where) {
  const auto* family = find_family(where.peer);
  return family ? family->locality(where.strategy) : nullptr;
}

kernel_of<utilization_work> find_utilization_kernel(const column& where) {
  const auto* family = find_family(where.peer);
  return family ? family->utilization(where.strategy) : nullptr;
}

kernel_of<contention_work> find_contention_kernel(const column& where, sharing form) {
  const auto* family = find_family(where.peer);
  return family ? family->contention(where.strategy, form) : nullptr;
}

kernel_of<false_sharing_work> find_false_sharing_kernel(const column& where, placement form) {
  const auto* family = find_family(where.peer);
  return family ? family->false_sharing(where.strategy, form) : nullptr;
}

}  // namespace mallard::lab
