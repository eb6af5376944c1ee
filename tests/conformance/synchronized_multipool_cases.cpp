#include "conformance/families.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace conformance {

using mallard::synchronized_multipool_options;
using mallard::synchronized_multipool_resource;

void add_synchronized_multipool(std::vector<resource_case>& cases) {
  using pool = plain<synchronized_multipool_resource>;
  constexpr synchronized_multipool_options nothing_kept{.empty_slabs_kept = 0};
  cases.push_back(pool_row<pool>("synchronized_multipool_resource"));
  cases.push_back(pool_row<by_default<synchronized_multipool_resource>>(
      "synchronized_multipool_resource by default"));
  cases.push_back(pool_row<with_options<synchronized_multipool_resource, nothing_kept>>(
      "synchronized_multipool_resource that keeps no slab"));
  cases.push_back(pool_row<on<pool, plain<mallard::monotonic_resource>>>(
      "synchronized_multipool_resource on monotonic_resource"));
  cases.push_back(pool_row<on<pool, pool>>(
      "synchronized_multipool_resource on synchronized_multipool_resource"));
  cases.push_back(pool_row<on<plain<mallard::multipool_resource>, pool>>(
      "multipool_resource on synchronized_multipool_resource"));
}

}  // namespace conformance
