#include "conformance/families.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/synchronized_heap.hpp"

namespace conformance {

using mallard::synchronized_heap_resource;

void add_synchronized_heap(std::vector<resource_case>& cases) {
  using heap = plain<synchronized_heap_resource>;
  constexpr mallard::heap_options nothing_kept{.empty_slabs_kept = 0};
  cases.push_back(pool_row<heap>("synchronized_heap_resource"));
  cases.push_back(
      pool_row<by_default<synchronized_heap_resource>>("synchronized_heap_resource by default"));
  cases.push_back(pool_row<with_options<synchronized_heap_resource, nothing_kept>>(
      "synchronized_heap_resource that keeps no slab"));
  cases.push_back(pool_row<on<heap, plain<mallard::monotonic_resource>>>(
      "synchronized_heap_resource on monotonic_resource"));
  cases.push_back(
      pool_row<on<heap, heap>>("synchronized_heap_resource on synchronized_heap_resource"));
}

}  // namespace conformance
