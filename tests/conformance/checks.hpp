// The checks by topic; suite.cpp puts them together.
#pragma once

#include <vector>

#include "conformance/suite.hpp"

namespace conformance {

void add_block_checks(std::vector<check>& checks);     // what a block must be
void add_failure_checks(std::vector<check>& checks);   // when memory runs out
void add_lifetime_checks(std::vector<check>& checks);  // what comes back, and when
void add_binding_checks(std::vector<check>& checks);   // how a resource may be held
void add_cost_checks(std::vector<check>& checks);      // what must not grow with the load

// Whether a check applies.
inline bool always(const resource_case&) {
  return true;
}
inline bool with_upstream(const resource_case& c) {
  return c.uses_upstream;
}
template <unsigned Verbs>
bool with_verbs(const resource_case& c) {
  return c.has(Verbs);
}
template <unsigned Verbs>
bool with_upstream_and(const resource_case& c) {
  return c.uses_upstream && c.has(Verbs);
}

}  // namespace conformance
