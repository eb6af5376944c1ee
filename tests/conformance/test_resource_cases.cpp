#include "conformance/families.hpp"
#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/guard_resource.hpp"
#include "mallard/checks/limit_resource.hpp"
#include "mallard/checks/logging_resource.hpp"
#include "mallard/checks/synchronized_counting_resource.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/profile.hpp"

namespace conformance {
namespace {

struct widely_limited {
  using type = mallard::limit_resource;
  static constexpr bool uses_upstream = true;
  type resource;
  explicit widely_limited(std::pmr::memory_resource* upstream)
      : resource({.bytes = std::size_t{1} << 62}, upstream) {}
};

struct logged {
  using type = mallard::logging_resource;
  static constexpr bool uses_upstream = true;
  type resource;
  explicit logged(std::pmr::memory_resource* upstream) : resource("/dev/null", "rows", upstream) {}
};

struct profiled {
  using type = mallard::profiled_resource;
  static constexpr bool uses_upstream = true;
  type resource;
  explicit profiled(std::pmr::memory_resource* upstream) : resource("rows", upstream) {}
};

struct guarded_below {
  using type = mallard::guard_resource;
  static constexpr bool uses_upstream = false;
  type resource{{.side = mallard::guarded_side::begin}};
  explicit guarded_below(std::pmr::memory_resource*) {}
};

struct tested_without_pads {
  using type = mallard::test_resource;
  static constexpr bool uses_upstream = true;
  type resource;
  explicit tested_without_pads(std::pmr::memory_resource* upstream)
      : resource({.pad_bytes = 0, .quarantine_bytes = 0}, upstream) {}
};

}  // namespace

void add_test_resource(std::vector<resource_case>& cases) {
  cases.push_back(row<plain<mallard::test_resource>>("test_resource"));
  cases.push_back(row<plain<mallard::counting_resource>>("counting_resource"));
  cases.push_back(
      row<plain<mallard::synchronized_counting_resource>>("synchronized_counting_resource"));
  cases.push_back(row<widely_limited>("limit_resource"));
  cases.push_back(row<logged>("logging_resource"));
  cases.push_back(row<profiled>("profiled_resource"));
  cases.push_back(row<tested_without_pads>("test_resource without pads"));
  cases.push_back(row<by_default<mallard::guard_resource>>("guard_resource"));
  cases.push_back(row<guarded_below>("guard_resource below"));
}

}  // namespace conformance
