// Resources made of resources, and scratch memory.
#include "conformance/families.hpp"
#include "mallard/failure_callback.hpp"
#include "mallard/fallback.hpp"
#include "mallard/multipool.hpp"
#include "mallard/scratch.hpp"
#include "mallard/segregating.hpp"
#include "mallard/synchronized.hpp"

namespace conformance {
namespace {

using mallard::multipool_resource;

// A pool, and its upstream for what the pool has no slab for.
struct fallback_holder {
  using type = mallard::fallback_resource<multipool_resource>;
  static constexpr bool uses_upstream = true;
  static constexpr bool directly = false;  // one failure alone is survived
  multipool_resource first;
  type resource;
  explicit fallback_holder(std::pmr::memory_resource* upstream)
      : first(upstream), resource(&first, upstream) {}
};

// A pool for up to 256 bytes, its upstream for what is larger.
struct segregating_holder {
  using type = mallard::segregating_resource<multipool_resource>;
  static constexpr bool uses_upstream = true;
  multipool_resource small;
  type resource;
  explicit segregating_holder(std::pmr::memory_resource* upstream)
      : small(upstream), resource(256, &small, upstream) {}
};

struct failure_callback_holder {
  using type = mallard::failure_callback_resource;
  static constexpr bool uses_upstream = true;
  type resource;
  explicit failure_callback_holder(std::pmr::memory_resource* upstream)
      : resource([](std::size_t, std::size_t) { return false; }, upstream) {}
};

}  // namespace

void add_compositions(std::vector<resource_case>& cases) {
  cases.push_back(pool_row<plain<mallard::synchronized<multipool_resource>>>(
      "synchronized<multipool_resource>"));
  cases.push_back(row<fallback_holder>("fallback_resource of a multipool"));
  cases.push_back(row<segregating_holder>("segregating_resource of a multipool"));
  cases.push_back(row<failure_callback_holder>("failure_callback_resource"));
  cases.push_back(row<by_default<mallard::scratch_scope>>("scratch_scope"));
}

}  // namespace conformance
