// A check in a process of its own, as a test's expectation.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "support/forked.hpp"

namespace mallard_test {

inline void expect_passed(const std::function<void()>& check, const std::string& what = "") {
  const outcome end = run_forked(check);
  EXPECT_TRUE(end.passed) << what << end.message;
}

}  // namespace mallard_test
