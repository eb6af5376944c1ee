// Finds kernels by name.
#include <array>

#include "lab/kernels/container_work.hpp"
#include "lab/measuring/contender.hpp"

namespace mallard::lab {

// AS1, in global.cpp.
container_kernel global_kernel(int ds, fairness choices);

// In the files that CMake makes of kernel.cpp.in.
using finder = container_kernel(int ds, const strategy& how, fairness choices);
finder mallard_monotonic_kernel, mallard_multipool_kernel, mallard_abstract_kernel;
finder std_monotonic_kernel, std_multipool_kernel, std_abstract_kernel;
#ifdef MALLARD_LAB_BOOST
finder boost_monotonic_kernel, boost_multipool_kernel, boost_abstract_kernel;
#endif

namespace {

struct family {
  std::string_view peer;
  finder* monotonic;
  finder* multipool;
  finder* abstract;
};

constexpr std::array families = {
    family{"mallard", mallard_monotonic_kernel, mallard_multipool_kernel, mallard_abstract_kernel},
    family{"std", std_monotonic_kernel, std_multipool_kernel, std_abstract_kernel},
#ifdef MALLARD_LAB_BOOST
    family{"boost", boost_monotonic_kernel, boost_multipool_kernel, boost_abstract_kernel},
#endif
};

}  // namespace

container_kernel find_container_kernel(int ds, const strategy& how, std::string_view peer,
                                       fairness choices) {
  const bool plain_global = how.what == mechanism::global && how.how == binding::type_parameter;
  if (plain_global) return peer == global_peer ? global_kernel(ds, choices) : nullptr;
  for (const family& one : families) {
    if (one.peer != peer) continue;
    if (how.how == binding::abstract_base) return one.abstract(ds, how, choices);
    return (how.what == mechanism::monotonic ? one.monotonic : one.multipool)(ds, how, choices);
  }
  return nullptr;
}

}  // namespace mallard::lab
