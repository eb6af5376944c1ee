#include "lab/kernels/family_boost.hpp"
#include "replay/run_lanes.hpp"

namespace mallard::replay::detail {

run_function find_boost_run(std::string_view strategy) {
  return find_family_run<lab::boost_family>(strategy);
}

}  // namespace mallard::replay::detail
