#include "lab/kernels/family_std.hpp"
#include "replay/run_lanes.hpp"

namespace mallard::replay::detail {

run_function find_std_run(std::string_view strategy) {
  return find_family_run<lab::std_family>(strategy);
}

}  // namespace mallard::replay::detail
