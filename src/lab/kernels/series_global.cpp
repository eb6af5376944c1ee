// The series benches on the global heap: AS1 by name, AS2 by abstract base.
#include "lab/kernels/series_kernels.hpp"

namespace mallard::lab {
namespace {

using by_name = global_arena;
using by_base = abstract_global_arena;

kernel_of<locality_work> locality(std::string_view strategy) {
  if (strategy == "AS1") return run_locality<by_name>;
  return strategy == "AS2" ? run_locality<by_base> : nullptr;
}

kernel_of<utilization_work> utilization(std::string_view strategy) {
  if (strategy == "AS1") return run_utilization<by_name>;
  return strategy == "AS2" ? run_utilization<by_base> : nullptr;
}

kernel_of<contention_work> contention(std::string_view strategy, sharing form) {
  if (form == sharing::own) {
    if (strategy == "AS1") return run_own<by_name>;
    return strategy == "AS2" ? run_own<by_base> : nullptr;
  }
  return strategy == "AS1" ? contention_kernel_of<by_name>(form) : nullptr;
}

kernel_of<false_sharing_work> false_sharing(std::string_view strategy, placement form) {
  if (strategy != "AS1") return nullptr;
  switch (form) {
    case placement::shared_array:
      return run_shared_array<by_name>;
    case placement::local_variable:
      return run_local_variable<by_name>;
    case placement::objects_of_one_allocator:
      return run_objects_of_one_allocator<by_name>;
    case placement::arena_per_thread:
    case placement::objects_of_own_arenas:
      break;
  }
  return nullptr;
}

}  // namespace

extern const family_kernels global_series;
const family_kernels global_series = {locality, utilization, contention, false_sharing};

}  // namespace mallard::lab
