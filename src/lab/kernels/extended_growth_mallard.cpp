// Boost's vectors with our expandable allocators.
#include "lab/kernels/boost_containers.hpp"
#include "lab/kernels/extended_arenas.hpp"
#include "lab/kernels/extended_kernels.hpp"
#include "lab/kernels/growth.hpp"

namespace mallard::lab {

kernel_of<growth_work> mallard_growth(std::string_view strategy) {
  static constexpr named_kernel<growth_work> all[] = {
      {"v1", run_growth<boost_column<heap_arena<without::version_2>>>},
      {"v2-none", run_growth<boost_column<heap_arena<without::forward | without::backward>>>},
      {"v2-fwd", run_growth<boost_column<heap_arena<without::backward>>>},
      {"v2-bwd", run_growth<boost_column<heap_arena<without::forward>>>},
      {"v2", run_growth<boost_column<heap_arena<without::nothing>>>},
  };
  return find_named(all, strategy);
}

kernel_of<shrink_work> mallard_shrink(std::string_view strategy) {
  static constexpr named_kernel<shrink_work> all[] = {
      {"v1", run_shrink<boost_column<heap_arena<without::version_2>>>},
      {"v2", run_shrink<boost_column<heap_arena<without::nothing>>>},
  };
  return find_named(all, strategy);
}

}  // namespace mallard::lab
