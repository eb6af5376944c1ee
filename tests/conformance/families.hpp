// The resources of the table, by family.
#pragma once

#include <vector>

#include "conformance/suite.hpp"

namespace conformance {

void add_arenas(std::vector<resource_case>& cases);
void add_pools(std::vector<resource_case>& cases);
void add_memory(std::vector<resource_case>& cases);
void add_test_resource(std::vector<resource_case>& cases);
void add_checked(std::vector<resource_case>& cases);
void add_compositions(std::vector<resource_case>& cases);

// Returns: every resource of ours.
inline std::vector<resource_case> our_cases() {
  std::vector<resource_case> cases;
  add_arenas(cases);
  add_pools(cases);
  add_memory(cases);
  add_test_resource(cases);
  add_checked(cases);
  add_compositions(cases);
  return cases;
}

}  // namespace conformance
