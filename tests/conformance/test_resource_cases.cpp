#include "conformance/families.hpp"
#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/limit_resource.hpp"
#include "mallard/checks/synchronized_counting_resource.hpp"
#include "mallard/checks/test_resource.hpp"

namespace conformance {
namespace {

struct half_limited {
  using type = mallard::limit_resource;
  static constexpr bool uses_upstream = true;
  type resource;
  explicit half_limited(std::pmr::memory_resource* upstream)
      : resource({.bytes = std::size_t{1} << 62}, upstream) {}
};

}  // namespace

void add_test_resource(std::vector<resource_case>& cases) {
  cases.push_back(row<plain<mallard::test_resource>>("test_resource"));
  cases.push_back(row<plain<mallard::counting_resource>>("counting_resource"));
  cases.push_back(
      row<plain<mallard::synchronized_counting_resource>>("synchronized_counting_resource"));
  cases.push_back(row<half_limited>("limit_resource"));
}

}  // namespace conformance
