#include "conformance/families.hpp"
#include "mallard/page_source.hpp"

namespace conformance {

// There is one per process, so it is borrowed and not made.
struct borrowed_page_source {
  using type = mallard::page_source;
  static constexpr bool uses_upstream = false;
  mallard::page_source& resource = *mallard::page_source::instance();
  explicit borrowed_page_source(std::pmr::memory_resource*) {}
};

void add_page_source(std::vector<resource_case>& cases) {
  cases.push_back(row<borrowed_page_source>("page_source"));
}

}  // namespace conformance
