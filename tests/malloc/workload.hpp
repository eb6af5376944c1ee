// Work that the tests of processes and threads keep a malloc busy with, and how they watch it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "support/child.hpp"
#include "support/threads.hpp"

namespace malloc_test {

using mallard_test::exit_code_of;

inline constexpr std::array<std::size_t, 7> sizes = {16,     100,     900,      5'000,
                                                     40'000, 200'000, 9'000'000};

inline void allocate_and_free(int rounds) {
  std::array<void*, 40> blocks{};
  for (int i = 0; i < rounds; ++i) {
    for (std::size_t n = 0; n < blocks.size(); ++n) {
      blocks[n] = std::malloc(sizes[(n + static_cast<std::size_t>(i)) % (i % 8 == 0 ? 7 : 5)]);
      std::memset(blocks[n], 1, 16);
    }
    for (void* p : blocks) std::free(p);
  }
}

// Threads that allocate all the time, until the object goes.
class busy_threads : public mallard_test::busy_threads {
 public:
  explicit busy_threads(int count)
      : mallard_test::busy_threads(count, [] { allocate_and_free(1); }) {}
};

// Runs the test's body in a process that has had no other thread and no other test.
inline int in_fresh_process(const std::function<void()>& body) {
  constexpr const char* marker = "MALLARD_TEST_IN_FRESH_PROCESS";
  if (std::getenv(marker) != nullptr) return exit_code_of(body);
  return exit_code_of([] {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    const std::string filter =
        std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name();
    setenv(marker, "1", 1);
    alarm(100);
    execl("/proc/self/exe", "malloc_test", filter.c_str(), "--gtest_brief=1", nullptr);
    _exit(127);
  });
}

}  // namespace malloc_test
