// Paths to which a test may write. Other trees run the same tests at the same time.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace mallard {

// A path of the running test's and this process's alone. Nothing is there yet, and the test removes
// what it puts there.
inline std::filesystem::path scratch_path(const std::string& name) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string all = std::string("mallard_") + test.test_suite_name() + "_" + test.name() + "_" +
                    std::to_string(getpid()) + "_" + name;
  std::replace(all.begin(), all.end(), '/', '_');  // as in names of tests with a parameter
  return std::filesystem::path(testing::TempDir()) / all;
}

// A file at such a path, which goes with the object.
class scratch_file {
 public:
  explicit scratch_file(const std::string& name = "trace") : path_(scratch_path(name).string()) {}
  ~scratch_file() { std::filesystem::remove(path_); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// An empty folder at such a path, which goes with the object and all that is in it then.
class scratch_folder {
 public:
  scratch_folder() : path_(scratch_path("folder")) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace mallard
