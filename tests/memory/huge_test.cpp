#include "mallard/memory/huge.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "mallard/detail/os/pages.hpp"
#include "memory/expect_memory_error.hpp"
#include "support/units.hpp"

namespace {

using mallard::huge_resource;
using mallard::memory_fault;
using mallard::page_kind;
using mallard_test::expect_memory_error;

using mallard_test::mib;

std::string word_of(const char* path) {
  std::ifstream in(path);
  std::string text;
  std::getline(in, text);
  return text;
}

bool has_explicit_pages() {
  const std::string free = word_of("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
  return !free.empty() && std::stoul(free) >= 4;
}
bool has_transparent_pages() {
  const std::string text = word_of("/sys/kernel/mm/transparent_hugepage/enabled");
  return !text.empty() && text.find("[never]") == std::string::npos;
}

TEST(huge_resource, what_was_obtained_adds_up_to_what_is_usable) {
  huge_resource resource({.limit_bytes = 16 * mib});
  auto* const p = static_cast<char*>(resource.allocate(3 * mib));
  std::memset(p, 1, 3 * mib);
  const auto got = resource.obtained();
  EXPECT_EQ(got.explicit_bytes + got.transparent_bytes + got.small_bytes + got.untouched_bytes,
            resource.stats().usable_bytes);
  EXPECT_EQ(resource.stats().usable_bytes, 4 * mib);
  EXPECT_EQ(got.untouched_bytes, 0u);
  EXPECT_EQ(has_explicit_pages(), got.explicit_bytes != 0);
  for (const char* q : {p, p + 3 * mib - 1}) {
    const std::size_t page = resource.page_bytes_of(q);
    EXPECT_TRUE(page == mallard::detail::os::page_size() || page == 2 * mib) << page;
  }
  int elsewhere = 0;
  EXPECT_EQ(resource.page_bytes_of(&elsewhere), 0u);
}

TEST(huge_resource, pages_that_nobody_touched_are_said_to_be_so) {
  huge_resource resource({.limit_bytes = 16 * mib, .wanted = page_kind::transparent});
  auto* const p = static_cast<char*>(resource.allocate(6 * mib, 2 * mib));
  p[4 * mib] = 1;
  EXPECT_EQ(resource.page_bytes_of(p + 2 * mib), 0u);
  EXPECT_NE(resource.page_bytes_of(p + 4 * mib), 0u);
  EXPECT_GE(resource.obtained().untouched_bytes, 2 * mib);
}

// A machine that has none is an error, and no reason for small pages in silence.
TEST(huge_resource, less_than_is_accepted_is_an_error_and_leaves_nothing_behind) {
  huge_resource insists({.limit_bytes = 8 * mib, .accepted = page_kind::explicit_huge});
  if (has_explicit_pages()) {
    auto* const p = static_cast<char*>(insists.allocate(mib));
    *p = 1;
    EXPECT_EQ(insists.page_bytes_of(p), 2 * mib);
    EXPECT_EQ(insists.obtained().explicit_bytes, insists.stats().usable_bytes);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    expect_memory_error(memory_fault::refused, std::errc::not_enough_memory,
                        [&] { (void)insists.allocate(mib); });
    EXPECT_EQ(insists.stats().usable_bytes, 0u);
  }
}

TEST(huge_resource, transparent_pages_that_must_be_there_are) {
  huge_resource resource({.limit_bytes = 32 * mib,
                          .wanted = page_kind::transparent,
                          .accepted = page_kind::transparent});
  void* const p = resource.try_allocate(5 * mib);
  if (p == nullptr) {
    EXPECT_FALSE(has_transparent_pages()) << "or there is no huge page left on this machine";
    return;
  }
  EXPECT_EQ(resource.obtained().transparent_bytes, 6 * mib);
  EXPECT_EQ(resource.page_bytes_of(p), 2 * mib);
}

TEST(huge_resource, pages_of_a_gibibyte_fall_back_as_the_caller_wants) {
  huge_resource insists({.page_bytes = 1024 * mib, .accepted = page_kind::explicit_huge});
  huge_resource gives_way({.page_bytes = 1024 * mib});
  auto* const q = static_cast<char*>(gives_way.allocate(100));
  *q = 1;
  const void* const p = insists.try_allocate(100);
  EXPECT_EQ(p != nullptr, gives_way.page_bytes_of(q) == 1024 * mib);
}

TEST(huge_resource, bad_options_and_requests_throw) {
  const auto expect = [](mallard::huge_options options) {
    expect_memory_error(memory_fault::bad_limit, std::errc::invalid_argument,
                        [&] { huge_resource resource(options); });
  };
  expect({.limit_bytes = 0});
  expect({.page_bytes = 4096});
  expect({.page_bytes = 0});
  expect({.wanted = page_kind::small, .accepted = page_kind::transparent});
  huge_resource resource;
  mallard_test::expect_bad_requests_to_throw(resource);
}

TEST(huge_resource, pools_give_all_of_it_back) {
  huge_resource resource;
  mallard_test::use_pool_in(resource);
  EXPECT_EQ(resource.stats().in_use_bytes, 0u);
  resource.release();
  EXPECT_EQ(resource.stats().usable_bytes, 0u);
}

}  // namespace
