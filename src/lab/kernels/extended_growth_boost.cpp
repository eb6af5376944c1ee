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

}  // namespace

kernel_of<growth_work> boost_growth(std::string_view strategy) {
  static constexpr named_kernel<growth_work> all[] = {
      {"std", run_growth<plain>},          {"v1", run_growth<v1>},
      {"v2-none", run_growth<v2_none>},    {"v2-fwd", run_growth<v2_forward>},
      {"v2-bwd", run_growth<v2_backward>}, {"v2", run_growth<v2>},
  };
  return find_named(all, strategy);
}

kernel_of<shrink_work> boost_shrink(std::string_view strategy) {
  static constexpr named_kernel<shrink_work> all[] = {
      {"std", run_shrink<plain>},
      {"v1", run_shrink<v1>},
      {"v2", run_shrink<v2>},
  };
  return find_named(all, strategy);
}

}  // namespace mallard::lab
