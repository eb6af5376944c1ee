#include "conformance/families.hpp"
#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/test_resource.hpp"

namespace conformance {

void add_test_resource(std::vector<resource_case>& cases) {
  cases.push_back(row<plain<mallard::test_resource>>("test_resource"));
  cases.push_back(row<plain<mallard::counting_resource>>("counting_resource"));
}

}  // namespace conformance
