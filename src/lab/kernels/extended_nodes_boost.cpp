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

constexpr column_kernels all[] = {
    bursts_in<plain>("std", "boost"),
    bursts_in<v1>("v1", "boost"),
    bursts_in<v2>("v2", "boost"),
    bursts_in<adaptive>("adaptive", "boost"),
    bursts_in<segregated>("node", "boost"),
    {.strategy = "adaptive1", .peer = "boost", .pool = run_pool<adaptive_v1>},
    {.strategy = "own-adaptive", .peer = "boost", .pool = run_pool<own_adaptive>},
    {.strategy = "fast_pool", .peer = "boost", .pool = run_pool<fast_pool>},
    {.strategy = "dlmalloc", .peer = "boost", .mixed = run_mixed<boost_heap>},
};

}  // namespace

constinit const kernel_table extended_nodes_boost = all;

}  // namespace mallard::lab
