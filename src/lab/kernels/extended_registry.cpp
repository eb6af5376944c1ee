// Finds the kernels of the benches of extended allocators by column.
#include "lab/kernels/extended_kernels.hpp"

namespace mallard::lab {
namespace {

const column std_containers = {"std", "std"};
[[maybe_unused]] const column std_pool = {"pool", "std"};

}  // namespace

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
  if (where == column{"realloc", "global"}) return realloc_growth(type, form);
  if (where == std_containers) return std_growth();
#ifdef MALLARD_LAB_BOOST
  if (where.peer == "mallard") return mallard_growth(where.strategy);
  if (where.peer == "boost") return boost_growth(where.strategy);
#endif
  return nullptr;
}

kernel_of<shrink_work> find_shrink_kernel(const column& where) {
  if (where == std_containers) return std_shrink();
#ifdef MALLARD_LAB_BOOST
  if (where.peer == "mallard") return mallard_shrink(where.strategy);
  if (where.peer == "boost") return boost_shrink(where.strategy);
#endif
  return nullptr;
}

kernel_of<burst_work> find_burst_kernel(const column& where, node_container what) {
  if (where == std_containers) return std_burst(what);
#ifdef MALLARD_LAB_BOOST
  if (where == std_pool) return std_pool_burst(what);
  if (where.peer == "mallard") return mallard_burst(where.strategy, what);
  if (where.peer == "boost") return boost_burst(where.strategy, what);
#endif
  return nullptr;
}

kernel_of<pool_work> find_pool_kernel(const column& where) {
  if (where == std_containers) return std_list_pool();
#ifdef MALLARD_LAB_BOOST
  if (where == std_pool) return std_pool_pool();
  if (where.peer == "mallard") return mallard_pool(where.strategy);
  if (where.peer == "boost") return boost_pool(where.strategy);
#endif
  return nullptr;
}

kernel_of<realloc_work> find_realloc_kernel(const column& where) {
  return plain_resize(where);
}

kernel_of<mixed_work> find_mixed_kernel(const column& where) {
#ifdef MALLARD_LAB_BOOST
  if (where.peer == "boost") return boost_mixed(where.strategy);
#endif
  return plain_mixed(where);
}

}  // namespace mallard::lab
