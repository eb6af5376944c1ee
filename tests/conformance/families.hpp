// The resources of the table, by family.
#pragma once

#include <vector>

#include "conformance/suite.hpp"

namespace conformance {

void add_monotonic(std::vector<resource_case>& cases);
void add_buffered(std::vector<resource_case>& cases);
void add_reserved(std::vector<resource_case>& cases);
void add_multipool(std::vector<resource_case>& cases);
void add_synchronized_multipool(std::vector<resource_case>& cases);
void add_heap(std::vector<resource_case>& cases);
void add_synchronized_heap(std::vector<resource_case>& cases);
void add_adaptive_pool(std::vector<resource_case>& cases);
void add_page_source(std::vector<resource_case>& cases);
void add_memory(std::vector<resource_case>& cases);
void add_test_resource(std::vector<resource_case>& cases);
void add_checked(std::vector<resource_case>& cases);
void add_compositions(std::vector<resource_case>& cases);

// Returns: every resource of ours.
inline std::vector<resource_case> our_cases() {
  std::vector<resource_case> cases;
  add_monotonic(cases);
  add_buffered(cases);
  add_reserved(cases);
  add_multipool(cases);
  add_synchronized_multipool(cases);
  add_heap(cases);
  add_synchronized_heap(cases);
  add_adaptive_pool(cases);
  add_page_source(cases);
  add_memory(cases);
  add_test_resource(cases);
  add_checked(cases);
  add_compositions(cases);
  return cases;
}

}  // namespace conformance
