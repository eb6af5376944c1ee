// Finds the kernels of all benches of strategies and allocators by column. One table has a row for
// each measured library; kernels of only one library are found by its name.
#include <array>
#include <string_view>

#include "lab/kernels/container_work.hpp"
#include "lab/kernels/extended_kernels.hpp"
#include "lab/kernels/series_kernels.hpp"
#include "lab/measuring/contender.hpp"

namespace mallard::lab {

// AS1, in global.cpp and series_global.cpp.
container_kernel global_kernel(int ds, fairness choices);
extern const family_kernels global_series;

// In the files that CMake makes of containers.cpp.in and series.cpp.in.
using finder = container_kernel(int ds, const strategy& how, fairness choices);
finder mallard_monotonic_kernel, mallard_multipool_kernel, mallard_abstract_kernel;
finder std_monotonic_kernel, std_multipool_kernel, std_abstract_kernel;
extern const family_kernels mallard_series, std_series;
#ifdef MALLARD_LAB_BOOST
finder boost_monotonic_kernel, boost_multipool_kernel, boost_abstract_kernel;
extern const family_kernels boost_series;
#endif

namespace {

struct family {
  std::string_view peer;
  finder* monotonic;
  finder* multipool;
  finder* abstract;
  const family_kernels* series;
};

const family* find_family(std::string_view peer) {
  static constexpr std::array families = {
      family{"mallard", mallard_monotonic_kernel, mallard_multipool_kernel, mallard_abstract_kernel,
             &mallard_series},
      family{"std", std_monotonic_kernel, std_multipool_kernel, std_abstract_kernel, &std_series},
#ifdef MALLARD_LAB_BOOST
      family{"boost", boost_monotonic_kernel, boost_multipool_kernel, boost_abstract_kernel,
             &boost_series},
#endif
      family{global_peer, nullptr, nullptr, nullptr, &global_series},
  };
  for (const family& one : families) {
    if (one.peer == peer) return &one;
  }
  return nullptr;
}

const family_kernels* find_series(std::string_view peer) {
  const family* const found = find_family(peer);
  return found ? found->series : nullptr;
}

constexpr const kernel_table* extended_tables[] = {
    &extended_plain,
#ifdef MALLARD_LAB_BOOST
    &extended_growth_mallard, &extended_growth_boost,
    &extended_nodes_mallard,  &extended_nodes_boost,
#endif
};

template <class Work>
kernel_of<Work> find_extended(const column& where, kernel_of<Work> column_kernels::* which) {
  for (const kernel_table* const table : extended_tables) {
    for (const column_kernels& one : *table) {
      const bool is_there = one.strategy == where.strategy && one.peer == where.peer;
      if (is_there && one.*which != nullptr) return one.*which;
    }
  }
  return nullptr;
}

}  // namespace

container_kernel find_container_kernel(int ds, const strategy& how, std::string_view peer,
                                       fairness choices) {
  const bool plain_global = how.what == mechanism::global && how.how == binding::type_parameter;
  if (plain_global) return peer == global_peer ? global_kernel(ds, choices) : nullptr;
  const family* const found = find_family(peer);
  if (!found || !found->abstract) return nullptr;
  if (how.how == binding::abstract_base) return found->abstract(ds, how, choices);
  return (how.what == mechanism::monotonic ? found->monotonic : found->multipool)(ds, how, choices);
}

kernel_of<locality_work> find_locality_kernel(const column& where) {
  const family_kernels* const found = find_series(where.peer);
  return found ? found->locality(where.strategy) : nullptr;
}

kernel_of<utilization_work> find_utilization_kernel(const column& where) {
  const family_kernels* const found = find_series(where.peer);
  return found ? found->utilization(where.strategy) : nullptr;
}

kernel_of<contention_work> find_contention_kernel(const column& where, sharing form) {
  const family_kernels* const found = find_series(where.peer);
  return found ? found->contention(where.strategy, form) : nullptr;
}

kernel_of<false_sharing_work> find_false_sharing_kernel(const column& where, placement form) {
  const family_kernels* const found = find_series(where.peer);
  return found ? found->false_sharing(where.strategy, form) : nullptr;
}

std::span<const column> extended_columns() {
  static const column all[] = {
      {"std", "std"},          {"std", "boost"},
      {"pool", "std"},         {"AS1", "global"},
      {"realloc", "global"},   {"v1", "mallard"},
      {"v2-none", "mallard"},  {"v2-bwd", "mallard"},
      {"v2-fwd", "mallard"},   {"v2", "mallard"},
      {"heap", "mallard"},     {"remap", "mallard"},
      {"adaptive", "mallard"}, {"own-adaptive", "mallard"},
      {"node", "mallard"},     {"v1", "boost"},
      {"v2-none", "boost"},    {"v2-bwd", "boost"},
      {"v2-fwd", "boost"},     {"v2", "boost"},
      {"dlmalloc", "boost"},   {"adaptive1", "boost"},
      {"adaptive", "boost"},   {"own-adaptive", "boost"},
      {"node", "boost"},       {"fast_pool", "boost"},
  };
  return all;
}

kernel_of<growth_work> find_growth_kernel(const column& where, element_type type,
                                          growth_form form) {
  // realloc moves elements as bytes, and cannot use room in front.
  const bool suits_realloc = type == element_type::pod64 && form != growth_form::backward;
  if (where.strategy == "realloc" && !suits_realloc) return nullptr;
  return find_extended(where, &column_kernels::growth);
}

kernel_of<shrink_work> find_shrink_kernel(const column& where) {
  return find_extended(where, &column_kernels::shrink);
}

kernel_of<burst_work> find_burst_kernel(const column& where, node_container what) {
  return find_extended(where, what == node_container::list ? &column_kernels::list_burst
                                                           : &column_kernels::vector_burst);
}

kernel_of<pool_work> find_pool_kernel(const column& where) {
  return find_extended(where, &column_kernels::pool);
}

kernel_of<realloc_work> find_realloc_kernel(const column& where) {
  return find_extended(where, &column_kernels::resize);
}

kernel_of<mixed_work> find_mixed_kernel(const column& where) {
  return find_extended(where, &column_kernels::mixed);
}

}  // namespace mallard::lab
