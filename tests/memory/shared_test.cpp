#include "mallard/memory/shared.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "mallard/memory/offset_allocator.hpp"
#include "memory/expect_memory_error.hpp"
#include "support/expect_passed.hpp"
#include "support/require.hpp"
#include "support/units.hpp"

namespace {

using mallard::memory_fault;
using mallard::shared_options;
using mallard::shared_resource;
using mallard_test::expect_memory_error;
using mallard_test::expect_passed;
using mallard_test::require;

using mallard_test::mib;
using ints = std::vector<int, mallard::offset_allocator<int>>;

class shared_test : public testing::Test {
 protected:
  void TearDown() override { shared_resource::remove(name()); }
  const char* name() const { return name_.c_str(); }

  std::string name_ = std::string("mallard_") +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                      std::to_string(getpid());
};

TEST_F(shared_test, what_one_process_makes_another_one_finds) {
  shared_resource shared = shared_resource::create(name());
  shared.make<ints>("ints", shared)->assign(1000, 7);
  expect_passed([&] {
    shared_resource elsewhere = shared_resource::open(name());
    require(elsewhere.base() != shared.base(), "it is the same address");
    ints* const found = elsewhere.find<ints>("ints");
    require(found != nullptr && found->size() == 1000 && found->at(999) == 7, "not found");
    found->resize(50'000, 8);
    require(elsewhere.owns(found->data()), "grown elsewhere");
  });
  const ints& grown = *shared.find<ints>("ints");
  EXPECT_EQ(grown.size(), 50'000u);
  EXPECT_EQ(grown.back(), 8);
  EXPECT_TRUE(shared.destroy<ints>("ints"));
  shared.verify();
}

TEST_F(shared_test, names_are_made_opened_and_taken_away) {
  const auto no_file = std::errc::no_such_file_or_directory;
  expect_memory_error(memory_fault::refused, no_file, [&] { shared_resource::open(name()); });
  {
    shared_resource one = shared_resource::open_or_create(name());
    shared_resource two = shared_resource::open_or_create(("/" + name_).c_str());
    *one.make<int>("x") = 5;
    EXPECT_EQ(*two.find<int>("x"), 5);
    expect_memory_error(memory_fault::exists, std::errc::file_exists,
                        [&] { shared_resource::create(name()); });
    EXPECT_TRUE(shared_resource::remove(name()));
    EXPECT_FALSE(shared_resource::remove(name()));
    EXPECT_EQ(*one.find<int>("x"), 5);
    EXPECT_EQ(one.stats().users, 2u);
  }
  expect_memory_error(memory_fault::refused, no_file, [&] { shared_resource::open(name()); });
}

TEST_F(shared_test, names_with_slashes_and_other_bad_ones_throw) {
  const std::string long_name(251, 'x');
  for (const char* bad : {"", "/", ".", "..", "/..", "a/b", "//a", "../a",
                          static_cast<const char*>(nullptr), long_name.c_str()}) {
    const auto expect = [](auto&& call) {
      expect_memory_error(memory_fault::bad_name, std::errc::invalid_argument, call);
    };
    expect([&] { shared_resource::create(bad); });
    expect([&] { shared_resource::open(bad); });
    expect([&] { shared_resource::open_or_create(bad); });
    expect([&] { shared_resource::remove(bad); });
  }
}

TEST_F(shared_test, limits_of_0_throw_and_leave_no_name) {
  for (const std::size_t limit : {std::size_t{0}, std::size_t{4096}, SIZE_MAX}) {
    const auto expect = [](auto&& call) {
      expect_memory_error(memory_fault::bad_limit, std::errc::invalid_argument, call);
    };
    expect([&] { shared_resource::create(name(), {.limit_bytes = limit}); });
    expect([&] { shared_resource::open_or_create(name(), {.limit_bytes = limit}); });
    expect([&] { shared_resource::anonymous({.limit_bytes = limit}); });
  }
  EXPECT_FALSE(shared_resource::remove(name()));
}

TEST_F(shared_test, descriptors_that_are_no_memory_throw) {
  expect_memory_error(memory_fault::not_memory, std::errc::bad_file_descriptor,
                      [] { shared_resource::attach(-1); });
  expect_memory_error(memory_fault::not_memory, std::errc::bad_file_descriptor,
                      [] { shared_resource::attach(987'654); });
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  expect_memory_error(memory_fault::not_memory, std::errc::no_such_device,
                      [&] { shared_resource::attach(ends[0]); });
  close(ends[0]);
  close(ends[1]);
  const int empty = memfd_create("empty", MFD_CLOEXEC);
  expect_memory_error(memory_fault::cut, std::errc::invalid_argument,
                      [&] { shared_resource::attach(empty); });
  ASSERT_EQ(ftruncate(empty, 1 << 20), 0);
  expect_memory_error(memory_fault::wrong_file, std::errc::invalid_argument,
                      [&] { shared_resource::attach(empty); });
  close(empty);
  shared_resource shared;
  const auto whole = static_cast<off_t>(shared.stats().usable_bytes);
  ASSERT_EQ(ftruncate(shared.descriptor(), 4096), 0);
  expect_memory_error(memory_fault::cut, std::errc::invalid_argument,
                      [&] { shared_resource::attach(shared.descriptor()); });
  ASSERT_EQ(ftruncate(shared.descriptor(), whole), 0);
}

TEST_F(shared_test, attached_by_its_descriptor_it_is_the_same_memory) {
  shared_resource shared = shared_resource::anonymous({.limit_bytes = 8 * mib});
  shared_resource again = shared_resource::attach(shared.descriptor());
  auto* const p = static_cast<char*>(shared.allocate(100));
  std::strcpy(p, "hello");
  shared.set_root("p", p);
  void* const there = again.root("p");
  EXPECT_STREQ(static_cast<char*>(there), "hello");
  again.deallocate(there, 100);
  // Free it is for whoever has the slab, sooner or later.
  std::vector<void*> blocks;
  while (void* const q = shared.try_allocate(100)) blocks.push_back(q);
  EXPECT_NE(std::find(blocks.begin(), blocks.end(), p), blocks.end());
}

TEST_F(shared_test, requests_that_nobody_can_serve_throw) {
  shared_resource shared;
  mallard_test::expect_bad_requests_to_throw(shared);
  for (std::size_t alignment = 1; alignment <= 2 * mib; alignment *= 2) {
    for (const std::size_t bytes : {1u, 24u, 2048u, 5000u}) {
      void* const p = shared.allocate(bytes, alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
      shared.deallocate(p, bytes, alignment);
    }
  }
}

TEST_F(shared_test, there_is_a_largest_number_of_users) {
  shared_resource shared;
  std::deque<shared_resource> users;
  const auto attach = [&] {
    struct in_place {
      int descriptor;
      operator shared_resource() const { return shared_resource::attach(descriptor); }
    };
    users.emplace_back(in_place{shared.descriptor()});
  };
  for (std::size_t i = 1; i < shared_resource::largest_user_count; ++i) attach();
  expect_memory_error(memory_fault::in_use, std::errc::resource_unavailable_try_again, attach);
  users.pop_back();
  attach();
}

TEST_F(shared_test, the_child_of_a_fork_is_another_user) {
  shared_resource shared;
  auto* const from_parent = static_cast<char*>(shared.allocate(64));
  std::strcpy(from_parent, "parent's");
  std::vector<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(shared.allocate(64));
  expect_passed([&] {
    require(std::strcmp(from_parent, "parent's") == 0, "its blocks are not there");
    shared.deallocate(from_parent, 64);
    for (int i = 0; i < 1000; ++i) {
      auto* const p = static_cast<char*>(shared.allocate(64));
      for (void* const q : blocks) require(p != q, "a block of the parent's");
      std::memset(p, 'c', 64);
    }
    require(shared.stats().users == 2, "it is no user of its own");
  });
  for (void* const p : blocks) std::memset(p, 'p', 64);
  EXPECT_EQ(shared.reclaim(), 1u);
  EXPECT_EQ(shared.reclaim(), 0u);
  shared.verify();
}

TEST_F(shared_test, a_child_that_outlives_its_parent_has_what_it_needs) {
  shared_resource first;
  expect_passed([&] {
    // This one maps it itself, makes a child, and ends while that one goes on.
    shared_resource own = shared_resource::attach(first.descriptor());
    (void)own.allocate(100);
    int ends[2];
    require(pipe(ends) == 0, "pipe");
    if (fork() == 0) {
      char byte;
      close(ends[1]);
      while (read(ends[0], &byte, 1) > 0) continue;  // until its parent ends
      unsigned found = own.reclaim();
      for (int i = 0; i < 1000 && found == 0; ++i, found = own.reclaim()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      auto* const p = static_cast<char*>(own.allocate(100));
      std::strcpy(p, found == 1 ? "reclaimed" : "not reclaimed");
      own.set_root("answer", p);
      _exit(0);
    }
    _exit(0);
  });
  void* answer = nullptr;
  for (int i = 0; i < 5000 && answer == nullptr; ++i) {
    answer = first.root("answer");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_NE(answer, nullptr);
  EXPECT_STREQ(static_cast<char*>(answer), "reclaimed");
}

TEST_F(shared_test, many_make_the_same_object_once) {
  shared_resource shared;
  for (int i = 0; i < 4; ++i) {
    if (fork() == 0) {
      ++*shared.find_or_make<std::atomic<int>>("count", 0);
      _exit(0);
    }
  }
  while (wait(nullptr) > 0) continue;
  EXPECT_EQ(*shared.find<std::atomic<int>>("count"), 4);
}

TEST_F(shared_test, memory_is_not_touched_before_it_is_needed) {
  shared_resource shared({.limit_bytes = std::size_t{4} << 30});
  EXPECT_LT(shared.stats().usable_bytes, mib);
  void* const p = shared.allocate(40 * mib);
  EXPECT_GE(shared.stats().usable_bytes, 40 * mib);
  shared.deallocate(p, 40 * mib);
  shared.trim();
  EXPECT_LT(shared.stats().in_use_bytes, mib);
}

TEST_F(shared_test, trim_gives_slabs_back_for_other_sizes) {
  shared_resource shared({.limit_bytes = 4 * mib});
  std::vector<void*> blocks;
  while (void* const p = shared.try_allocate(64)) blocks.push_back(p);
  for (void* const p : blocks) shared.deallocate(p, 64);
  // Not even asked for: before it fails, it looks for empty slabs.
  void* const large = shared.allocate(3 * mib);
  shared.deallocate(large, 3 * mib);
  shared.trim();
  EXPECT_EQ(shared.stats().slabs, 0u);
}

TEST_F(shared_test, every_second_block_given_back_by_another_serves_again) {
  shared_resource shared({.limit_bytes = 4 * mib});
  shared_resource other = shared_resource::attach(shared.descriptor());
  std::vector<void*> blocks;
  while (void* const p = shared.try_allocate(48)) blocks.push_back(p);
  const auto seen_by_other = [&](void* p) {
    return static_cast<std::byte*>(other.base()) +
           (static_cast<std::byte*>(p) - static_cast<std::byte*>(shared.base()));
  };
  std::size_t back = 0;
  for (std::size_t i = 0; i < blocks.size(); i += 2, ++back) {
    other.deallocate(seen_by_other(blocks[i]), 48);
  }
  std::size_t again = 0;
  while (shared.try_allocate(48) != nullptr) ++again;
  EXPECT_EQ(again, back);
}

TEST_F(shared_test, a_pool_of_this_process_lives_in_it) {
  shared_resource shared;
  mallard_test::use_pool_in(shared);
  shared.trim();
  EXPECT_LT(shared.stats().in_use_bytes, mib);
}

}  // namespace
