// Boost's containers of nodes with Boost's allocators, and with std's.
#include "lab/kernels/boost_arenas.hpp"
#include "lab/kernels/bursts.hpp"
#include "lab/kernels/extended_arenas.hpp"
#include "lab/kernels/extended_kernels.hpp"
#include "lab/kernels/mixed.hpp"

namespace mallard::lab {
namespace {

using plain = boost_column<std_arena>;
using v1 = boost_column<boost_arena<boost_v1>>;
using v2 = boost_column<boost_arena<boost_v2>>;
using adaptive = boost_column<boost_arena<boost_adaptive>>;
using adaptive_v1 = boost_column<boost_arena<boost_adaptive_v1>>;
using own_adaptive = boost_column<boost_arena<boost_own_adaptive>>;
using segregated = boost_column<boost_arena<boost_node>>;
using fast_pool = boost_column<fast_pool_arena>;

struct boost_heap {
  void* allocate(std::size_t bytes) {
    void* const p = boost::container::dlmalloc_malloc(bytes);
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }
  void deallocate(void* p, std::size_t) noexcept { boost::container::dlmalloc_free(p); }
};

}  // namespace

kernel_of<burst_work> boost_burst(std::string_view strategy, node_container what) {
  static constexpr named_kernel<burst_work> lists[] = {
      {"std", run_list_burst<plain>},       {"v1", run_list_burst<v1>},
      {"v2", run_list_burst<v2>},           {"adaptive", run_list_burst<adaptive>},
      {"node", run_list_burst<segregated>},
  };
  static constexpr named_kernel<burst_work> vectors[] = {
      {"std", run_stable_vector_burst<plain>},
      {"v1", run_stable_vector_burst<v1>},
      {"v2", run_stable_vector_burst<v2>},
      {"adaptive", run_stable_vector_burst<adaptive>},
      {"node", run_stable_vector_burst<segregated>},
  };
  return what == node_container::list ? find_named(lists, strategy) : find_named(vectors, strategy);
}

kernel_of<pool_work> boost_pool(std::string_view strategy) {
  static constexpr named_kernel<pool_work> all[] = {
      {"std", run_pool<plain>},
      {"v1", run_pool<v1>},
      {"v2", run_pool<v2>},
      {"adaptive1", run_pool<adaptive_v1>},
      {"adaptive", run_pool<adaptive>},
      {"own-adaptive", run_pool<own_adaptive>},
      {"node", run_pool<segregated>},
      {"fast_pool", run_pool<fast_pool>},
  };
  return find_named(all, strategy);
}

kernel_of<mixed_work> boost_mixed(std::string_view strategy) {
  return strategy == "dlmalloc" ? run_mixed<boost_heap> : nullptr;
}

}  // namespace mallard::lab
