#include "conformance/families.hpp"
#include "mallard/adaptive_pool.hpp"
#include "mallard/multipool.hpp"

namespace conformance {

using mallard::adaptive_pool_options;
using mallard::adaptive_pool_resource;

void add_adaptive_pool(std::vector<resource_case>& cases) {
  constexpr adaptive_pool_options nodes{.block_bytes = 24};
  constexpr adaptive_pool_options wide{.block_bytes = 100, .alignment = 64, .empty_slabs_kept = 0};
  using of_nodes = with_options<adaptive_pool_resource, nodes>;
  cases.push_back(row<by_default<adaptive_pool_resource>>("adaptive_pool_resource by default"));
  cases.push_back(pool_row<of_nodes>("adaptive_pool_resource of 24 bytes"));
  cases.push_back(pool_row<with_options<adaptive_pool_resource, wide>>(
      "adaptive_pool_resource of 100 bytes at 64"));
  cases.push_back(pool_row<on<of_nodes, plain<mallard::multipool_resource>>>(
      "adaptive_pool_resource on multipool_resource"));
}

}  // namespace conformance
