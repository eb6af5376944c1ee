// Arenas, alone and over one another.
#include "conformance/families.hpp"
#include "mallard/buffered.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/reserved.hpp"

namespace conformance {
namespace {

using mallard::buffered_resource;
using mallard::monotonic_resource;
using mallard::reserved_resource;

// The buffer is inside, and serves the first requests.
template <std::size_t Bytes>
struct buffered : plain<buffered_resource<Bytes>> {
  static constexpr std::size_t buffer_bytes = Bytes;
  using plain<buffered_resource<Bytes>>::plain;
};

}  // namespace

void add_arenas(std::vector<resource_case>& cases) {
  constexpr mallard::monotonic_options small_chunks{.initial_bytes = 64, .max_chunk_bytes = 8192};
  using arena = plain<monotonic_resource>;
  cases.push_back(row<arena>("monotonic_resource"));
  cases.push_back(row<by_default<monotonic_resource>>("monotonic_resource by default"));
  cases.push_back(
      row<with_options<monotonic_resource, small_chunks>>("monotonic_resource of small chunks"));
  cases.push_back(row<with_buffer<monotonic_resource, 4096>>("monotonic_resource with a buffer"));
  cases.push_back(row<on<arena, arena>>("monotonic_resource on monotonic_resource"));

  cases.push_back(row<buffered<64>>("buffered_resource<64>"));
  cases.push_back(row<buffered<1024>>("buffered_resource<1024>"));
  cases.push_back(row<by_default<buffered_resource<1024>>>("buffered_resource<1024> by default"));

  using reserved = by_default<reserved_resource>;
  cases.push_back(row<reserved>("reserved_resource"));
  cases.push_back(row<on<arena, reserved>>("monotonic_resource on reserved_resource"));
  cases.push_back(pool_row<on<plain<mallard::multipool_resource>, reserved>>(
      "multipool_resource on reserved_resource"));
}

}  // namespace conformance
