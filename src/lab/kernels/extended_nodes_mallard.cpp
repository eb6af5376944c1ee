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

constexpr column_kernels all[] = {
    bursts_in<v1>("v1", "mallard"),
    bursts_in<v2>("v2", "mallard"),
    bursts_in<adaptive>("adaptive", "mallard"),
    bursts_in<segregated>("node", "mallard"),
    {.strategy = "own-adaptive", .peer = "mallard", .pool = run_pool<own_adaptive>},
    bursts_in<std_pool>("pool", "std"),
};

}  // namespace

constinit const kernel_table extended_nodes_mallard = all;

}  // namespace mallard::lab
