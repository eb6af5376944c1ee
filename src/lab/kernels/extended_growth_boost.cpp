// Boost's vectors with Boost's extended allocators, and with std's.
#include "lab/kernels/boost_arenas.hpp"
#include "lab/kernels/extended_arenas.hpp"
#include "lab/kernels/extended_kernels.hpp"
#include "lab/kernels/growth.hpp"

namespace mallard::lab {
namespace {

constexpr unsigned both = forward_command | backward_command;
using plain = boost_column<std_arena>;
using v1 = boost_column<boost_arena<boost_v1>>;
using v2_none = boost_column<boost_arena<boost_v2_none, shrink_command>>;
using v2_forward = boost_column<boost_arena<boost_v2_forward, forward_command>>;
using v2_backward = boost_column<boost_arena<boost_v2_backward, backward_command>>;
using v2 = boost_column<boost_arena<boost_v2, both | shrink_command>>;

constexpr column_kernels all[] = {
    {.strategy = "std", .peer = "boost", .growth = run_growth<plain>, .shrink = run_shrink<plain>},
    {.strategy = "v1", .peer = "boost", .growth = run_growth<v1>, .shrink = run_shrink<v1>},
    {.strategy = "v2-none", .peer = "boost", .growth = run_growth<v2_none>},
    {.strategy = "v2-fwd", .peer = "boost", .growth = run_growth<v2_forward>},
    {.strategy = "v2-bwd", .peer = "boost", .growth = run_growth<v2_backward>},
    {.strategy = "v2", .peer = "boost", .growth = run_growth<v2>, .shrink = run_shrink<v2>},
};

}  // namespace

constinit const kernel_table extended_growth_boost = all;

}  // namespace mallard::lab
