#include "mallard/checks/exception_test_loop.hpp"

#include <gtest/gtest.h>

#include <list>
#include <memory_resource>
#include <stdexcept>
#include <vector>

namespace {

using mallard::exception_test_loop;
using mallard::failing;
using mallard::test_fault;
using mallard::test_report;
using mallard::test_resource;

void three_allocations(test_resource& memory) {
  std::pmr::list<int> numbers({1, 2, 3}, &memory);
}

TEST(exception_test_loop, runs_once_more_than_there_are_allocations) {
  test_resource memory;
  EXPECT_EQ(exception_test_loop(memory, three_allocations), 4u);
  EXPECT_EQ(exception_test_loop(memory, three_allocations, failing::from_then_on), 4u);
  EXPECT_EQ(exception_test_loop(memory, [](test_resource&) {}), 1u);
}

TEST(exception_test_loop, calls_back_after_each_failed_run) {
  test_resource memory;
  int failed_runs = 0;
  exception_test_loop(memory, three_allocations, [&] { ++failed_runs; });
  EXPECT_EQ(failed_runs, 3);
}

TEST(exception_test_loop, nothing_fails_during_the_callback_and_afterwards) {
  test_resource memory;
  const auto allocate = [&] { memory.deallocate(memory.allocate(1, 1), 1, 1); };
  exception_test_loop(memory, three_allocations, allocate, failing::from_then_on);
  allocate();
}

TEST(exception_test_loop, goes_on_when_the_code_survives_a_failure) {
  test_resource memory;
  const auto forgiving = [](test_resource& m) {
    for (int i = 0; i < 5; ++i) {
      try {
        m.deallocate(m.allocate(1, 1), 1, 1);
      } catch (const std::bad_alloc&) {
      }
    }
  };
  EXPECT_EQ(exception_test_loop(memory, forgiving), 6u);
}

TEST(exception_test_loop, reports_what_a_failed_run_leaks) {
  std::pmr::monotonic_buffer_resource ground;
  std::vector<test_report> reports;
  test_resource memory([&](const test_report& r) { reports.push_back(r); }, &ground);
  void* left = nullptr;
  exception_test_loop(memory, [&](test_resource& m) {
    void* const first = m.allocate(10, 8);
    left = first;
    m.deallocate(m.allocate(20, 8), 20, 8);  // when this throws, `first` is lost
    m.deallocate(first, 10, 8);
    left = nullptr;
  });
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0].fault, test_fault::leak);
  EXPECT_EQ(reports[0].bytes, 10u);
  memory.report_leaks();
}

TEST(exception_test_loop, passes_on_other_exceptions) {
  test_resource memory;
  EXPECT_THROW(exception_test_loop(memory, [](test_resource&) { throw std::logic_error("x"); }),
               std::logic_error);
  // A bad_alloc that was not caused here is an error of the code under test.
  EXPECT_THROW(exception_test_loop(memory, [](test_resource&) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(exception_test_loop, disarms_when_the_code_throws_something_else) {
  test_resource memory;
  const auto run = [](test_resource&) { throw std::logic_error("x"); };
  EXPECT_THROW(exception_test_loop(memory, run, failing::from_then_on), std::logic_error);
  memory.deallocate(memory.allocate(1, 1), 1, 1);
}

}  // namespace
