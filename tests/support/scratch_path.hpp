// A path to which a test may write. Other trees run the same tests at the same time.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace mallard {

// A path of the running test's and this process's alone. Nothing is there yet, and the test removes
// what it puts there.
inline std::filesystem::path scratch_path(const std::string& name) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return std::filesystem::path(testing::TempDir()) /
         (std::string("mallard_") + test.test_suite_name() + "_" + test.name() + "_" +
          std::to_string(getpid()) + "_" + name);
}

}  // namespace mallard
