#include "lab/kernels/family_mallard.hpp"
#include "replay/run_lanes.hpp"

namespace mallard::replay::detail {

run_function find_mallard_run(std::string_view strategy) {
  return find_family_run<lab::mallard_family>(strategy);
}

}  // namespace mallard::replay::detail
