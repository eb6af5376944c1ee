// The engine while the system refuses memory: at any call of the system's, once or from then on.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "malloc/engine_calls.hpp"
#include "malloc/huge_block.hpp"
#include "malloc/large_space.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/system_stand_in.hpp"
#include "support/expect_passed.hpp"
#include "support/footprint.hpp"
#include "support/forked.hpp"
#include "support/require.hpp"

namespace {

namespace detail = mallard::detail;
using mallard_test::require;

constexpr long never = -1;
long calls = 0;
long first_refused = never;
bool refuse_all_after = false;

bool is_refused() {
  const long call = calls++;
  if (first_refused == never) return false;
  return refuse_all_after ? call >= first_refused : call == first_refused;
}

// Nothing can be moved, as on kernels that unmap the target before they refuse; and at once another
// thread maps something there.
bool take_target_away = false;
std::vector<unsigned char*> taken_away;
constexpr std::size_t taken_bytes = 4096;

bool is_move_refused(void* to, std::size_t bytes, std::size_t new_bytes) {
  if (take_target_away && to != nullptr) {
    munmap(to, new_bytes);
    void* const other = __real_mmap(to, new_bytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    taken_away.push_back(static_cast<unsigned char*>(std::memset(other, 7, taken_bytes)));
    return true;
  }
  // A block does not grow where it is; what is asked of a target's remains is answered truly.
  if (take_target_away && bytes < new_bytes - taken_bytes) return true;
  return is_refused();
}

const bool stands_in = [] {
  malloc_test::refuses = is_refused;
  malloc_test::refuses_move = is_move_refused;
  return true;
}();

struct block {
  unsigned char* p;
  std::size_t bytes;
};

void expect_ends(const block& b, std::size_t bytes) {
  require(b.p[0] == b.bytes % 251 && b.p[bytes - 1] == b.bytes % 251,
          "a block was changed, of bytes: ", b.bytes);
}

void fill(const block& b) {
  const auto value = static_cast<unsigned char>(b.bytes % 251);
  std::memset(b.p, value, std::min<std::size_t>(b.bytes, 8192));
  b.p[b.bytes - 1] = value;
}

// Allocates, grows, shrinks and frees blocks of all kinds; what fails is left out.
void use_memory() {
  std::vector<block> blocks;
  blocks.reserve(2000);
  const auto add = [&](std::size_t bytes, std::size_t alignment) {
    void* const p =
        alignment == 0 ? detail::allocate(bytes) : detail::allocate_aligned(bytes, alignment);
    if (p == nullptr) return;
    require(detail::address_of(p) % (alignment == 0 ? 16 : alignment) == 0, "not aligned");
    blocks.push_back({static_cast<unsigned char*>(p), bytes});
    fill(blocks.back());
  };
  for (std::size_t bytes = 1; bytes < 200'000; bytes += bytes / 4 + 1) {
    for (int i = 0; i < 4; ++i) add(bytes, 0);
    add(bytes, 64);
  }
  add(3 << 20, 0);
  add(9 << 20, 0);
  add(10 << 20, 2 << 20);
  add(5 << 20, 1 << 20);
  for (std::size_t i = 0; i < blocks.size(); i += 3) {
    block& b = blocks[i];
    const std::size_t bytes = i % 2 == 0 ? b.bytes * 3 : b.bytes / 2 + 1;
    void* const p = detail::reallocate(b.p, bytes);
    if (p == nullptr) {
      expect_ends(b, b.bytes);
      continue;
    }
    b.p = static_cast<unsigned char*>(p);
    require(b.p[0] == b.bytes % 251, "a block was changed as it was resized");
    b.bytes = bytes;
    fill(b);
  }
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    expect_ends(blocks[i], blocks[i].bytes);
    detail::deallocate(blocks[i].p);
  }
  detail::trim();
  for (std::size_t i = 1; i < blocks.size(); i += 2) {
    expect_ends(blocks[i], blocks[i].bytes);
    detail::deallocate(blocks[i].p);
  }
}

void expect_nothing_lost() {
  std::size_t blocks = detail::the_pages.huge.usage().blocks;
  for (detail::large_space& space : detail::the_pages.spaces) blocks += space.usage().blocks;
  require(blocks == 0, "blocks were lost: ", blocks);
  require(detail::the_pages.huge.usage().mapped_bytes == 0, "mappings were lost");
  // And there is as much to be had as ever.
  for (const std::size_t bytes : {16ul, 1000ul, 30'000ul, 300'000ul, 20'000'000ul}) {
    void* const p = detail::allocate(bytes);
    require(p != nullptr, "nothing to be had any more, of bytes: ", bytes);
    std::memset(p, 1, std::min<std::size_t>(bytes, 8192));
    detail::deallocate(p);
  }
}

constexpr const char* fewer_calls = "there are fewer calls of the system";

void use_memory_refused_at(long call, bool and_after) {
  calls = 0;
  first_refused = call;
  refuse_all_after = and_after;
  use_memory();
  first_refused = never;
  const long made = calls;
  expect_nothing_lost();
  require(made > call, fewer_calls);
}

void expect_all_refusals_survived(bool and_after) {
  // The engine of this process has done nothing, so each child has a fresh one.
  for (long call = 0;; ++call) {
    const mallard_test::outcome outcome =
        mallard_test::run_forked([=] { use_memory_refused_at(call, and_after); });
    if (outcome.message == fewer_calls) {
      EXPECT_GT(call, 8);
      return;
    }
    ASSERT_TRUE(outcome.passed) << "call " << call << " refused: " << outcome.message;
  }
}

TEST(malloc_out_of_memory, one_refused_call_loses_nothing) {
  expect_all_refusals_survived(false);
}

TEST(malloc_out_of_memory, a_failed_move_leaves_alone_what_was_mapped_there_since) {
  mallard_test::expect_passed([] {
    constexpr std::size_t bytes = std::size_t{20} << 20;
    auto* const p = static_cast<unsigned char*>(detail::allocate(bytes));
    std::memset(p, 5, bytes);
    taken_away.reserve(10);
    take_target_away = true;
    auto* const now = static_cast<unsigned char*>(detail::reallocate(p, 2 * bytes));
    take_target_away = false;
    require(now != nullptr && now[0] == 5 && now[bytes - 1] == 5, "the contents were lost");
    require(!taken_away.empty(), "nothing was tried");
    for (const unsigned char* other : taken_away) {
      require(other[0] == 7 && other[taken_bytes - 1] == 7, "another's mapping was changed");
    }
    detail::deallocate(now);
  });
}

// Memory that the thread has at hand then goes back to the system without waiting in the supply.
TEST(malloc_out_of_memory, under_a_limit_without_idle_memory_all_that_is_free_serves_a_request) {
  for (const std::size_t bytes : {8'192ul, 20'000ul, 262'144ul}) {
    mallard_test::expect_passed([=] {
      constexpr std::size_t mib = std::size_t{1} << 20;
      detail::the_pages.set_limit(24 * mib);
      detail::the_pages.set_most_kept(0);
      std::vector<void*> blocks(16 * mib / bytes);
      for (void*& p : blocks) p = detail::allocate(bytes);
      for (void* p : blocks) detail::deallocate(p);
      require(detail::allocate(23 * mib) != nullptr, "refused, after blocks of ", bytes);
    });
  }
}

// All is looked through for a request that is refused, but not again for the next one.
TEST(malloc_out_of_memory, a_refused_request_asks_nothing_of_the_system_until_something_was_freed) {
  mallard_test::expect_passed([] {
    constexpr std::size_t mib = std::size_t{1} << 20;
    detail::the_pages.set_limit(32 * mib);
    std::vector<void*> blocks;
    blocks.reserve(40'000);
    while (void* const p = detail::allocate(1'000)) blocks.push_back(std::memset(p, 1, 1'000));
    // No slab becomes empty, but most pages of each.
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i % 64 != 0) detail::deallocate(std::exchange(blocks[i], nullptr));
    }
    require(detail::allocate(mib) == nullptr, "not refused");
    calls = 0;
    for (int i = 0; i < 100; ++i) require(detail::allocate(mib) == nullptr, "not refused");
    require(calls < 10, "calls of the system: ", calls);
    for (void* p : blocks) detail::deallocate(p);
    require(detail::allocate(mib) != nullptr, "refused though all was freed");
  });
}

double processor_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

// A cache that is full evicts something and tries again: that must not look at all that there is.
TEST(malloc_out_of_memory, a_request_that_is_tried_again_after_one_block_was_freed_takes_no_time) {
  mallard_test::expect_passed([] {
    constexpr std::size_t mib = std::size_t{1} << 20;
    detail::the_pages.set_limit(256 * mib);
    std::vector<void*> blocks;
    blocks.reserve(400'000);
    while (void* const p = detail::allocate(1'000)) blocks.push_back(p);
    std::vector<double> taken(51);
    for (double& one : taken) {
      detail::deallocate(blocks.back());
      blocks.pop_back();
      const double start = processor_us();
      require(detail::allocate(30'000) == nullptr, "not refused");
      one = processor_us() - start;
    }
    std::nth_element(taken.begin(), taken.begin() + 25, taken.end());
    require(taken[25] < 300, "microseconds: ", taken[25]);
    for (void* p : blocks) detail::deallocate(p);
    require(detail::allocate(30'000) != nullptr, "refused though all was freed");
  });
}

TEST(malloc_out_of_memory, without_idle_memory_large_blocks_go_back_at_once) {
  mallard_test::expect_passed([] {
    constexpr std::size_t mib = std::size_t{1} << 20;
    detail::the_pages.set_most_kept(0);
    std::vector<void*> blocks(6);
    for (void*& p : blocks) std::memset(p = detail::allocate(mib), 1, mib);
    const std::size_t before = mallard_test::resident_bytes();
    for (void* p : blocks) detail::deallocate(p);
    const std::size_t after = mallard_test::resident_bytes();
    require(after < before - 5 * mib, "resident: ", after, ", before: ", before);
  });
}

// Memory that is usable of a region counts where memory is limited.
TEST(malloc_out_of_memory, a_region_is_made_usable_no_further_for_what_does_not_fit_it) {
  mallard_test::expect_passed([] {
    const auto usable_slices = [] {
      std::vector<std::size_t> out;
      detail::the_pages.supply.for_each_region(
          [&](detail::region& r) { out.push_back(r.ready_slices); });
      return out;
    };
    constexpr std::size_t words = 40;  // of 64 in a region
    require(detail::the_pages.supply.take_words(words) != nullptr, "refused");
    const std::vector<std::size_t> before = usable_slices();
    require(before.size() == 1, "regions: ", before.size());
    require(detail::the_pages.supply.take_words(words) != nullptr, "refused");
    require(detail::the_pages.supply.take_words(64) == nullptr, "too long");
    const std::vector<std::size_t> after = usable_slices();
    require(after.size() == 2, "regions: ", after.size());
    require(after[0] == before[0], "usable: ", after[0], ", before: ", before[0]);
    require(detail::the_pages.supply.take_words(20) != nullptr, "refused");
    require(usable_slices().size() == 2, "there was room in the regions");
  });
}

TEST(malloc_out_of_memory, a_system_that_refuses_everything_from_some_call_on_loses_nothing) {
  expect_all_refusals_survived(true);
}

}  // namespace
