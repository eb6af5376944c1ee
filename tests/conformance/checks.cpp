#include "conformance/checks.hpp"

namespace conformance {

const std::vector<check>& all_checks() {
  static const std::vector<check> checks = [] {
    std::vector<check> list;
    add_block_checks(list);
    add_failure_checks(list);
    add_lifetime_checks(list);
    add_binding_checks(list);
    add_cost_checks(list);
    return list;
  }();
  return checks;
}

}  // namespace conformance
