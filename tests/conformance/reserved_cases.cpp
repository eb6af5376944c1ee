#include "conformance/families.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/reserved.hpp"

namespace conformance {

void add_reserved(std::vector<resource_case>& cases) {
  using inner = by_default<mallard::reserved_resource>;
  cases.push_back(row<inner>("reserved_resource"));
  cases.push_back(row<on<plain<mallard::monotonic_resource>, inner>>(
      "monotonic_resource on reserved_resource"));
  cases.push_back(pool_row<on<plain<mallard::multipool_resource>, inner>>(
      "multipool_resource on reserved_resource"));
}

}  // namespace conformance
