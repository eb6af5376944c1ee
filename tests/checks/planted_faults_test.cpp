// Every planted fault is found and is what it is called; nothing is found in the programs without.
#include "checks/planted_faults.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <set>
#include <string>

#include "mallard/detail/core/annotate.hpp"
#include "support/expect_passed.hpp"
#include "support/forked.hpp"

namespace {

using planted::program;

#ifdef MALLARD_ASAN
constexpr bool with_asan = true;
#else
constexpr bool with_asan = false;
#endif

class planted_faults : public testing::TestWithParam<program> {};

std::vector<mallard::test_fault> faults_of(const program& what, bool plant) {
  auto b = std::make_unique<planted::bench>();
  what.run(*b, plant);
  b->memory.verify();
  b->memory.report_leaks();
  b->other.report_leaks();
  return b->faults;
}

bool stops(const program& what) {
  return what.crashes || (with_asan && what.sanitizers_stop);
}

TEST_P(planted_faults, are_found) {
  const program& what = GetParam();
  if (stops(what)) {
    const auto outcome = mallard_test::run_forked([&] { (void)faults_of(what, true); });
    EXPECT_FALSE(outcome.passed);
    if (!with_asan) {
      EXPECT_EQ(outcome.message, "killed by Segmentation fault");
    }
    return;
  }
  const auto faults = faults_of(what, true);
  ASSERT_FALSE(faults.empty());
  EXPECT_STREQ(to_string(faults.front()), to_string(what.expected));
}

TEST_P(planted_faults, are_not_found_in_the_program_without) {
  const program& what = GetParam();
  if (stops(what)) {
    mallard_test::expect_passed([&] { (void)faults_of(what, false); });
  }
  if (what.crashes) return;
  for (const auto fault : faults_of(what, false)) ADD_FAILURE() << to_string(fault);
}

std::string test_name(const testing::TestParamInfo<program>& one) {
  std::string name = one.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(table, planted_faults, testing::ValuesIn(planted::all_programs()),
                         test_name);

TEST(planted_faults_table, has_at_least_forty_programs_and_every_kind) {
  const auto all = planted::all_programs();
  EXPECT_GE(all.size(), 40u);
  std::set<mallard::test_fault> kinds;
  for (const program& one : all) kinds.insert(one.expected);
  EXPECT_EQ(kinds.size(), 12u);
}

}  // namespace
