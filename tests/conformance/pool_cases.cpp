// Pools and heaps, alone and over others.
#include "conformance/families.hpp"
#include "mallard/adaptive_pool.hpp"
#include "mallard/buffered.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace conformance {
namespace {

using mallard::adaptive_pool_resource;
using mallard::multipool_resource;
using arena = plain<mallard::monotonic_resource>;
using multipool = plain<multipool_resource>;

// The shapes that each of them has.
template <class R, class Options>
void add_pool(std::vector<resource_case>& cases, const std::string& name) {
  constexpr Options nothing_kept{.empty_slabs_kept = 0};
  using pool = plain<R>;
  cases.push_back(pool_row<pool>(name));
  cases.push_back(pool_row<by_default<R>>(name + " by default"));
  cases.push_back(pool_row<with_options<R, nothing_kept>>(name + " that keeps no slab"));
  cases.push_back(pool_row<on<pool, arena>>(name + " on monotonic_resource"));
  cases.push_back(pool_row<on<pool, pool>>(name + " on " + name));
}

void add_multipools(std::vector<resource_case>& cases) {
  add_pool<multipool_resource, mallard::multipool_options>(cases, "multipool_resource");
  cases.push_back(
      pool_row<on<multipool, on<arena, arena>>>("multipool_resource on monotonic on monotonic"));
  cases.push_back(pool_row<on<multipool, plain<mallard::buffered_resource<1024>>>>(
      "multipool_resource on buffered_resource<1024>"));
  cases.push_back(row<on<arena, multipool>>("monotonic_resource on multipool_resource"));
}

void add_synchronized_multipools(std::vector<resource_case>& cases) {
  using pool = plain<mallard::synchronized_multipool_resource>;
  add_pool<mallard::synchronized_multipool_resource, mallard::synchronized_multipool_options>(
      cases, "synchronized_multipool_resource");
  cases.push_back(
      pool_row<on<multipool, pool>>("multipool_resource on synchronized_multipool_resource"));
}

void add_heaps(std::vector<resource_case>& cases) {
  add_pool<mallard::heap_resource, mallard::heap_options>(cases, "heap_resource");
  add_pool<mallard::synchronized_heap_resource, mallard::heap_options>(
      cases, "synchronized_heap_resource");
}

void add_adaptive_pools(std::vector<resource_case>& cases) {
  constexpr mallard::adaptive_pool_options nodes{.block_bytes = 24};
  constexpr mallard::adaptive_pool_options wide{
      .block_bytes = 100, .alignment = 64, .empty_slabs_kept = 0};
  using of_nodes = with_options<adaptive_pool_resource, nodes>;
  cases.push_back(row<by_default<adaptive_pool_resource>>("adaptive_pool_resource by default"));
  cases.push_back(pool_row<of_nodes>("adaptive_pool_resource of 24 bytes"));
  cases.push_back(pool_row<with_options<adaptive_pool_resource, wide>>(
      "adaptive_pool_resource of 100 bytes at 64"));
  cases.push_back(
      pool_row<on<of_nodes, multipool>>("adaptive_pool_resource on multipool_resource"));
}

}  // namespace

void add_pools(std::vector<resource_case>& cases) {
  add_multipools(cases);
  add_synchronized_multipools(cases);
  add_heaps(cases);
  add_adaptive_pools(cases);
}

}  // namespace conformance
