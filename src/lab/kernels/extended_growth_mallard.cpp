// Boost's vectors with our expandable allocators.
#include "lab/kernels/boost_containers.hpp"
#include "lab/kernels/extended_arenas.hpp"
#include "lab/kernels/extended_kernels.hpp"
#include "lab/kernels/growth.hpp"

namespace mallard::lab {
namespace {

template <without Mask>
using column_without = boost_column<heap_arena<Mask>>;
using v1 = column_without<without::version_2>;
using v2_none = column_without<without::forward | without::backward>;
using v2 = column_without<without::nothing>;

constexpr column_kernels all[] = {
    {.strategy = "v1", .peer = "mallard", .growth = run_growth<v1>, .shrink = run_shrink<v1>},
    {.strategy = "v2-none", .peer = "mallard", .growth = run_growth<v2_none>},
    {.strategy = "v2-fwd",
     .peer = "mallard",
     .growth = run_growth<column_without<without::backward>>},
    {.strategy = "v2-bwd",
     .peer = "mallard",
     .growth = run_growth<column_without<without::forward>>},
    {.strategy = "v2", .peer = "mallard", .growth = run_growth<v2>, .shrink = run_shrink<v2>},
};

}  // namespace

constinit const kernel_table extended_growth_mallard = all;

}  // namespace mallard::lab
