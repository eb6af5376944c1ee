#include "mallard/memory/protected.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory_resource>
#include <vector>

#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "memory/expect_memory_error.hpp"
#include "support/threads.hpp"

namespace {

using mallard::memory_fault;
using mallard::page_access;
using mallard::protect_scope;
using mallard::protected_resource;
using mallard::write_scope;
using mallard_test::expect_memory_error;

volatile const void* expected_address;

// Exits with 0 when the fault is at the very address.
void catch_fault_at(const volatile void* address) {
  expected_address = address;
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    _exit(info->si_addr == const_cast<const void*>(expected_address) ? 0 : 1);
  };
  sigaction(SIGSEGV, &action, nullptr);
}

TEST(protected_resource_death, a_write_faults_at_that_very_instruction) {
  protected_resource resource;
  auto* const p = static_cast<volatile char*>(resource.allocate(100));
  p[50] = 'x';
  resource.protect();
  EXPECT_EQ(p[50], 'x');
  EXPECT_EXIT(
      {
        catch_fault_at(p + 50);
        p[50] = 'y';
        _exit(2);
      },
      testing::ExitedWithCode(0), "");
  resource.unprotect();
  p[50] = 'z';
  EXPECT_EQ(p[50], 'z');
}

TEST(protected_resource_death, hidden_memory_cannot_even_be_read) {
  protected_resource resource;
  auto* const p = static_cast<volatile char*>(resource.allocate(100));
  resource.hide();
  EXPECT_EXIT(
      {
        catch_fault_at(p);
        _exit(2 + p[0]);
      },
      testing::ExitedWithCode(0), "");
  resource.unprotect();
  EXPECT_EQ(p[0], 0);
}

TEST(protected_resource, scopes_nest_and_put_back_what_was) {
  protected_resource resource;
  std::pmr::map<int, int> settings(&resource);
  settings[1] = 1;
  resource.protect();
  {
    const write_scope outer(resource);
    settings[2] = 2;
    {
      const protect_scope inner(resource);
      EXPECT_EQ(resource.access(), page_access::read_only);
      {
        const protect_scope innermost(resource, page_access::none);
        EXPECT_EQ(resource.access(), page_access::none);
      }
      EXPECT_EQ(settings.size(), 2u);
    }
    EXPECT_EQ(resource.access(), page_access::writable);
    const write_scope again(resource);
    settings[3] = 3;
  }
  EXPECT_EQ(resource.access(), page_access::read_only);
  EXPECT_EQ(settings.at(3), 3);
  resource.unprotect();
}

TEST(protected_resource, it_gives_no_memory_while_it_is_protected) {
  protected_resource resource;
  (void)resource.allocate(100);
  for (const page_access access : {page_access::read_only, page_access::none}) {
    const protect_scope scope(resource, access);
    expect_memory_error(memory_fault::not_writable, std::errc::permission_denied,
                        [&] { (void)resource.allocate(100); });
    EXPECT_EQ(resource.try_allocate(100), nullptr);
    resource.trim();
  }
  EXPECT_NE(resource.try_allocate(100), nullptr);
}

TEST(protected_resource, an_empty_one_can_be_protected_and_released) {
  protected_resource resource;
  resource.protect();
  EXPECT_EQ(resource.try_allocate(1), nullptr);
  resource.release();
  EXPECT_EQ(resource.access(), page_access::writable);
  (void)resource.allocate(1);
  resource.protect();
  resource.release();
  auto* const p = static_cast<char*>(resource.allocate(1));
  *p = 'x';
}

TEST(protected_resource, built_once_it_is_read_by_many_threads) {
  protected_resource resource;
  mallard::monotonic_resource arena(&resource);
  auto& words =
      *std::pmr::polymorphic_allocator<>(&arena).new_object<std::pmr::vector<std::pmr::string>>();
  for (int i = 0; i < 1000; ++i) words.emplace_back("a string too long for itself to hold");
  const protect_scope built(resource);
  mallard_test::in_threads(2, [&] {
    for (const auto& word : words) EXPECT_EQ(word.size(), 36u);
  });
}

TEST(protected_resource, bad_limits_and_requests_throw) {
  expect_memory_error(memory_fault::bad_limit, std::errc::invalid_argument,
                      [] { protected_resource resource({.limit_bytes = 0}); });
  protected_resource resource;
  mallard_test::expect_bad_requests_to_throw(resource);
}

}  // namespace
