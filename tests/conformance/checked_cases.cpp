// The checked twins, of each family: what a resource does it does under the checks as well.
#include "conformance/families.hpp"
#include "mallard/adaptive_pool.hpp"
#include "mallard/buffered.hpp"
#include "mallard/checks/checked.hpp"
#include "mallard/heap.hpp"
#include "mallard/memory/mapped.hpp"
#include "mallard/memory/shared.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/reserved.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace conformance {
namespace {

// Every fault ends the test, but not what a pool that is destroyed had in use: that is allowed
// here.
mallard::check_with strictly(std::size_t quarantine_bytes) {
  return {{.quarantine_bytes = quarantine_bytes, .stack_frames = 0},
          [](const mallard::test_report& r) {
            if (r.fault != mallard::test_fault::leak) mallard::detail::print_and_abort(r);
          }};
}

template <class R>
struct checked_twin {
  using type = mallard::checked<R>;
  static constexpr bool uses_upstream = true;
  static constexpr bool directly = false;  // the quarantine keeps what comes back for a while
  type resource;
  explicit checked_twin(std::pmr::memory_resource* upstream)
      : resource(strictly(64 * 1024), upstream) {}
};

struct checked_buffered : checked_twin<mallard::buffered_resource<1024>> {
  static constexpr std::size_t buffer_bytes = 1024;
  using checked_twin::checked_twin;
};

template <class R>
struct at_once {
  using type = mallard::checked<R>;
  static constexpr bool uses_upstream = true;
  type resource;
  explicit at_once(std::pmr::memory_resource* upstream) : resource(strictly(0), upstream) {}
};

template <class R>
struct alone {
  using type = mallard::checked<R>;
  static constexpr bool uses_upstream = false;
  type resource{strictly(64 * 1024)};
  explicit alone(std::pmr::memory_resource*) {}
};

struct checked_adaptive {
  using type = mallard::checked<mallard::adaptive_pool_resource>;
  static constexpr bool uses_upstream = true;
  static constexpr bool directly = false;
  type resource;
  explicit checked_adaptive(std::pmr::memory_resource* upstream)
      : resource(strictly(64 * 1024), mallard::adaptive_pool_options{.block_bytes = 160},
                 upstream) {}
};

template <class Holder>
resource_case checked_row(std::string name) {
  resource_case out = row<Holder>(std::move(name));
  out.deallocate_is_noop = deallocate_is_noop_v<typename Holder::type::resource_type>;
  return out;
}

}  // namespace

void add_checked(std::vector<resource_case>& cases) {
  using namespace mallard;
  cases.push_back(checked_row<checked_twin<monotonic_resource>>("checked<monotonic_resource>"));
  cases.push_back(checked_row<checked_buffered>("checked<buffered_resource<1024>>"));
  cases.push_back(checked_row<alone<reserved_resource>>("checked<reserved_resource>"));
  cases.push_back(checked_row<checked_twin<multipool_resource>>("checked<multipool_resource>"));
  cases.push_back(
      checked_row<at_once<multipool_resource>>("checked<multipool_resource> without quarantine"));
  cases.push_back(checked_row<checked_twin<synchronized_multipool_resource>>(
      "checked<synchronized_multipool_resource>"));
  cases.push_back(checked_row<checked_twin<heap_resource>>("checked<heap_resource>"));
  cases.push_back(
      checked_row<checked_twin<synchronized_heap_resource>>("checked<synchronized_heap_resource>"));
  cases.push_back(checked_row<checked_adaptive>("checked<adaptive_pool_resource> of 160 bytes"));
  cases.push_back(checked_row<alone<mapped_resource>>("checked<mapped_resource>"));
  cases.push_back(checked_row<alone<shared_resource>>("checked<shared_resource>"));
}

}  // namespace conformance
