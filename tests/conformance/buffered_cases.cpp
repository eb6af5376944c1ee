#include "conformance/families.hpp"
#include "mallard/buffered.hpp"

namespace conformance {

// The buffer is inside, and serves the first requests.
template <std::size_t Bytes>
struct buffered : plain<mallard::buffered_resource<Bytes>> {
  static constexpr std::size_t buffer_bytes = Bytes;
  using plain<mallard::buffered_resource<Bytes>>::plain;
};

void add_buffered(std::vector<resource_case>& cases) {
  cases.push_back(row<buffered<64>>("buffered_resource<64>"));
  cases.push_back(row<buffered<1024>>("buffered_resource<1024>"));
  cases.push_back(
      row<by_default<mallard::buffered_resource<1024>>>("buffered_resource<1024> by default"));
}

}  // namespace conformance
