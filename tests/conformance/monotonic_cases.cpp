#include "conformance/families.hpp"
#include "mallard/monotonic.hpp"

namespace conformance {

using mallard::monotonic_options;
using mallard::monotonic_resource;

void add_monotonic(std::vector<resource_case>& cases) {
  constexpr monotonic_options small_chunks{.initial_bytes = 64, .max_chunk_bytes = 8192};
  using inner = plain<monotonic_resource>;
  cases.push_back(row<inner>("monotonic_resource"));
  cases.push_back(row<by_default<monotonic_resource>>("monotonic_resource by default"));
  cases.push_back(
      row<with_options<monotonic_resource, small_chunks>>("monotonic_resource of small chunks"));
  cases.push_back(row<with_buffer<monotonic_resource, 4096>>("monotonic_resource with a buffer"));
  cases.push_back(row<on<inner, inner>>("monotonic_resource on monotonic_resource"));
}

}  // namespace conformance
