#include "mallard/memory/mapped.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "mallard/detail/os/pages.hpp"
#include "memory/expect_memory_error.hpp"
#include "support/forked.hpp"
#include "support/instrumented.hpp"
#include "support/require.hpp"
#include "support/units.hpp"

namespace {

using mallard::mapped_resource;
using mallard::memory_fault;
using mallard_test::expect_memory_error;

using mallard_test::mib;

bool maps_say(const std::string& words) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(mapped_resource, memory_comes_as_it_is_needed) {
  mapped_resource resource({.limit_bytes = 64 * mib});
  EXPECT_EQ(resource.stats().usable_bytes, 0u);
  void* const p = resource.allocate(100);
  EXPECT_EQ(resource.stats().usable_bytes, 64u * 1024);
  void* const q = resource.allocate(5 * mib, 4096);
  std::memset(q, 1, 5 * mib);
  EXPECT_GE(resource.obtained().resident_bytes, 5 * mib);
  EXPECT_LE(resource.stats().usable_bytes, 10 * mib);
  EXPECT_EQ(resource.stats().in_use_blocks, 2u);
  resource.deallocate(q, 5 * mib, 4096);
  resource.deallocate(p, 100);
  EXPECT_EQ(resource.stats().in_use_bytes, 0u);
  EXPECT_GE(resource.stats().peak_bytes, 5 * mib);
}

TEST(mapped_resource, trim_and_release_give_memory_back) {
  mapped_resource resource;
  void* p = resource.allocate(8 * mib);
  std::memset(p, 1, 8 * mib);
  auto* const kept = static_cast<char*>(resource.allocate(100));
  std::strcpy(kept, "kept");
  resource.deallocate(p, 8 * mib);
  resource.trim();
  EXPECT_LE(resource.obtained().resident_bytes, mib);
  EXPECT_STREQ(kept, "kept");
  EXPECT_EQ(resource.allocate(8 * mib), p);
  resource.release();
  EXPECT_EQ(resource.stats().usable_bytes, 0u);
  EXPECT_EQ(resource.stats().in_use_blocks, 0u);
  EXPECT_EQ(static_cast<char*>(resource.allocate(100))[0], 0);
}

TEST(mapped_resource, populated_pages_are_in_memory_before_they_are_touched) {
  mapped_resource resource({.limit_bytes = 4 * mib, .step_bytes = mib, .populate = true});
  (void)resource.allocate(1);
  EXPECT_EQ(resource.obtained().resident_bytes, mib);
}

TEST(mapped_resource, locked_pages_stay_and_a_lock_that_is_refused_is_an_error) {
  const auto locks = mallard_test::run_forked([] {
    mapped_resource resource({.lock = true});
    (void)resource.allocate(100);
    mallard_test::require(resource.obtained().locked_bytes == 64 * 1024, "not locked");
  });
  EXPECT_TRUE(locks.passed || locks.message.find("mapped_resource") == 0) << locks.message;
  if (mallard_test::instrumented) return;  // mlock does nothing there
  const auto refused = mallard_test::run_forked([] {
    // Also for root, who could lock without limit.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_MEMLOCK, &none);
    if (setuid(65534) != 0) return;
    mapped_resource resource({.lock = true});
    try {
      (void)resource.allocate(100);
    } catch (const mallard::memory_error& e) {
      mallard_test::require(e.fault() == memory_fault::refused, e.what());
      mallard_test::require(resource.stats().usable_bytes == 0, "it is usable all the same");
      return;
    }
    mallard_test::fail("locked beyond the limit");
  });
  EXPECT_TRUE(refused.passed) << refused.message;
}

TEST(mapped_resource_death, guard_pages_fault) {
  const std::size_t page = mallard::detail::os::page_size();
  mapped_resource resource({.limit_bytes = 16 * page, .guard_pages = true});
  auto* const p = static_cast<volatile char*>(resource.allocate(16 * page, page));
  p[0] = 1;
  p[16 * page - 1] = 1;
  EXPECT_DEATH(p[-1] = 1, "");
  EXPECT_DEATH(p[16 * page] = 1, "");
}

TEST(mapped_resource, a_name_is_in_the_process_s_maps_where_the_kernel_can) {
  mapped_resource resource({.name = "mallard test"});
  (void)resource.allocate(100);
  EXPECT_EQ(resource.obtained().named, maps_say("[anon:mallard test]"));
}

TEST(mapped_resource, what_no_kernel_would_take_is_an_error_at_once) {
  const std::string long_name(81, 'a');
  for (const char* name : {"", "a]", "$x", "new\nline", long_name.c_str()}) {
    expect_memory_error(memory_fault::bad_name, std::errc::invalid_argument,
                        [&] { mapped_resource resource({.name = name}); });
  }
  const auto expect = [](memory_fault fault, std::errc error, std::size_t limit) {
    expect_memory_error(fault, error, [&] { mapped_resource resource({.limit_bytes = limit}); });
  };
  expect(memory_fault::bad_limit, std::errc::invalid_argument, 0);
  expect(memory_fault::bad_limit, std::errc::invalid_argument, SIZE_MAX);
  expect(memory_fault::refused, std::errc::not_enough_memory, SIZE_MAX / 4);
}

TEST(mapped_resource, bad_requests_throw) {
  mapped_resource resource;
  mallard_test::expect_bad_requests_to_throw(resource);
}

TEST(mapped_resource, the_limit_holds_and_all_of_it_can_be_had) {
  mapped_resource resource({.limit_bytes = mib});
  for (int i = 0; i < 16; ++i) EXPECT_NE(resource.try_allocate(65536, 65536), nullptr) << i;
  EXPECT_EQ(resource.try_allocate(1), nullptr);
}

TEST(mapped_resource, pools_give_all_of_it_back) {
  mapped_resource resource;
  mallard_test::use_pool_in(resource);
  EXPECT_EQ(resource.stats().in_use_bytes, 0u);
}

}  // namespace
