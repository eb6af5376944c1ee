#include "conformance/families.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"

namespace conformance {

using mallard::heap_resource;

void add_heap(std::vector<resource_case>& cases) {
  using heap = plain<heap_resource>;
  constexpr mallard::heap_options nothing_kept{.empty_slabs_kept = 0};
  cases.push_back(pool_row<heap>("heap_resource"));
  cases.push_back(pool_row<by_default<heap_resource>>("heap_resource by default"));
  cases.push_back(
      pool_row<with_options<heap_resource, nothing_kept>>("heap_resource that keeps no slab"));
  cases.push_back(pool_row<on<heap, plain<mallard::monotonic_resource>>>(
      "heap_resource on monotonic_resource"));
  cases.push_back(pool_row<on<heap, heap>>("heap_resource on heap_resource"));
}

}  // namespace conformance
