// Purpose: reports gathered under a lock, to be given to a handler without it.
#pragma once

#include <new>
#include <vector>

#include "mallard/checks/test_report.hpp"

namespace mallard::inline v1::detail {

// For deallocate, which never throws: without memory the report is lost.
inline void add_report(std::vector<test_report>& to, const test_report& r) noexcept {
  try {
    to.push_back(r);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace mallard::inline v1::detail
