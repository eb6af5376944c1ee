#include "conformance/families.hpp"
#include "mallard/buffered.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"

namespace conformance {

using mallard::multipool_options;
using mallard::multipool_resource;

void add_multipool(std::vector<resource_case>& cases) {
  using pool = plain<multipool_resource>;
  using arena = plain<mallard::monotonic_resource>;
  constexpr multipool_options nothing_kept{.empty_slabs_kept = 0};
  cases.push_back(pool_row<pool>("multipool_resource"));
  cases.push_back(pool_row<by_default<multipool_resource>>("multipool_resource by default"));
  cases.push_back(pool_row<with_options<multipool_resource, nothing_kept>>(
      "multipool_resource that keeps no slab"));
  cases.push_back(pool_row<on<pool, arena>>("multipool_resource on monotonic_resource"));
  cases.push_back(
      pool_row<on<pool, on<arena, arena>>>("multipool_resource on monotonic on monotonic"));
  cases.push_back(pool_row<on<pool, plain<mallard::buffered_resource<1024>>>>(
      "multipool_resource on buffered_resource<1024>"));
  cases.push_back(pool_row<on<pool, pool>>("multipool_resource on multipool_resource"));
  cases.push_back(row<on<arena, pool>>("monotonic_resource on multipool_resource"));
}

}  // namespace conformance
