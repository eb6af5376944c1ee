// Boost's containers of nodes with our allocators, and with std's pool.
#include "lab/kernels/boost_containers.hpp"
#include "lab/kernels/bursts.hpp"
#include "lab/kernels/extended_arenas.hpp"
#include "lab/kernels/extended_kernels.hpp"

// Boost's containers call a member of std's polymorphic_allocator that C++20 deprecates.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace mallard::lab {
namespace {

using v1 = boost_column<heap_arena<without::version_2>>;
using v2 = boost_column<heap_arena<without::nothing>>;
using adaptive = boost_column<shared_pool_arena<adaptive_allocator>>;
using segregated = boost_column<shared_pool_arena<segregated_allocator>>;
using own_adaptive = boost_column<own_pool_arena>;
using std_pool = boost_column<std_pool_arena>;

}  // namespace

kernel_of<burst_work> mallard_burst(std::string_view strategy, node_container what) {
  static constexpr named_kernel<burst_work> lists[] = {
      {"v1", run_list_burst<v1>},
      {"v2", run_list_burst<v2>},
      {"adaptive", run_list_burst<adaptive>},
      {"node", run_list_burst<segregated>},
  };
  static constexpr named_kernel<burst_work> vectors[] = {
      {"v1", run_stable_vector_burst<v1>},
      {"v2", run_stable_vector_burst<v2>},
      {"adaptive", run_stable_vector_burst<adaptive>},
      {"node", run_stable_vector_burst<segregated>},
  };
  return what == node_container::list ? find_named(lists, strategy) : find_named(vectors, strategy);
}

kernel_of<pool_work> mallard_pool(std::string_view strategy) {
  static constexpr named_kernel<pool_work> all[] = {
      {"v1", run_pool<v1>},
      {"v2", run_pool<v2>},
      {"adaptive", run_pool<adaptive>},
      {"own-adaptive", run_pool<own_adaptive>},
      {"node", run_pool<segregated>},
  };
  return find_named(all, strategy);
}

kernel_of<burst_work> std_pool_burst(node_container what) {
  return what == node_container::list ? run_list_burst<std_pool>
                                      : run_stable_vector_burst<std_pool>;
}

kernel_of<pool_work> std_pool_pool() {
  return run_pool<std_pool>;
}

}  // namespace mallard::lab
