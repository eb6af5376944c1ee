// Calls of the system that the engine makes, and the locks it holds meanwhile.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <latch>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "mallard/detail/os/pages.hpp"
#include "malloc/engine_calls.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/user_heap.hpp"
#include "support/expect_passed.hpp"
#include "support/footprint.hpp"
#include "support/instrumented.hpp"
#include "support/require.hpp"
#include "support/threads.hpp"
#include "support/units.hpp"

namespace {

namespace detail = mallard::detail;
using mallard_test::expect_passed;
using mallard_test::require;

using mallard_test::mib;

// Calls so far, from any thread.
std::atomic<long> populates{0};
std::atomic<std::size_t> most_populated{0};
std::atomic<std::size_t> purged_bytes{0};
std::atomic<long> purges{0};
std::atomic<std::size_t> unmapped_bytes{0};
std::atomic<bool> knows_populate{true};
std::atomic<bool> looks_at_locks{false};
std::atomic<long> calls_under_lock{0};
// A moment on an idle machine is longer on a busy one.
std::atomic<bool> time_stands_still{false};
std::atomic<long> seconds_later{0};
std::atomic<std::size_t> asked_to_be_huge{0};
std::atomic<std::size_t> left_small{0};
// In place of the process's own.
std::atomic<long> peak_resident_kib{0};
// Each look at a thread's time finds it so much later.
std::atomic<long> milliseconds_a_look{0};
std::atomic<long> thread_milliseconds{0};

}  // namespace

// The linker lets the engine call these: see --wrap.
extern "C" {
int __real_clock_gettime(clockid_t, timespec*);

int __wrap_clock_gettime(clockid_t clock, timespec* now) {
  if (clock == CLOCK_THREAD_CPUTIME_ID) {
    const long later = thread_milliseconds += milliseconds_a_look;
    *now = {later / 1000, later % 1000 * 1'000'000};
    return 0;
  }
  if (!time_stands_still) return __real_clock_gettime(clock, now);
  *now = {1'000'000 + seconds_later, 0};
  return 0;
}

int __real_getrusage(int, rusage*);

int __wrap_getrusage(int who, rusage* used) {
  const int result = __real_getrusage(who, used);
  if (peak_resident_kib != 0) used->ru_maxrss = peak_resident_kib;
  return result;
}

// No lock under which memory is handed out may be held; those of who gives memory back
// are only ever tried.
static void look_at_locks() {
  if (!looks_at_locks) return;
  const auto look = [](auto& lock) {
    if (!lock.try_acquire()) {
      ++calls_under_lock;
      return;
    }
    lock.release();
  };
  look(detail::the_pages.supply.lock());
  look(detail::the_pages.huge.kept.lock());
  for (detail::large_space& space : detail::the_pages.spaces) look(space.lock());
}

void* __real_mmap(void*, size_t, int, int, int, off_t);

void* __wrap_mmap(void* p, size_t bytes, int protection, int flags, int file, off_t offset) {
  look_at_locks();
  return __real_mmap(p, bytes, protection, flags, file, offset);
}

int __real_mprotect(void*, size_t, int);

int __wrap_mprotect(void* p, size_t bytes, int protection) {
  look_at_locks();
  return __real_mprotect(p, bytes, protection);
}

int __real_munmap(void*, size_t);

int __wrap_munmap(void* p, size_t bytes) {
  look_at_locks();
  unmapped_bytes += bytes;
  return __real_munmap(p, bytes);
}

int __real_madvise(void*, size_t, int);

int __wrap_madvise(void* p, size_t bytes, int advice) {
  look_at_locks();
  if (advice == MADV_DONTNEED) {
    purged_bytes += bytes;
    ++purges;
  }
  if (advice == MADV_HUGEPAGE) asked_to_be_huge += bytes;
  if (advice == MADV_NOHUGEPAGE) left_small += bytes;
#ifdef MADV_POPULATE_WRITE
  if (advice == MADV_POPULATE_WRITE) {
    ++populates;
    if (bytes > most_populated) most_populated = bytes;
    if (!knows_populate) {
      errno = EINVAL;
      return -1;
    }
  }
#endif
  return __real_madvise(p, bytes, advice);
}
}

namespace {

// Allocates so many bytes in blocks, `written` of each, and frees them all.
void run_phase(std::size_t bytes, std::size_t block_bytes, std::size_t written = SIZE_MAX) {
  static std::vector<void*> blocks;
  blocks.resize(bytes / block_bytes);
  for (void*& p : blocks) {
    p = detail::allocate(block_bytes);
    std::memset(p, 1, std::min(written, block_bytes));
  }
  for (void* p : blocks) detail::deallocate(p);
}

TEST(malloc_system_calls, a_system_that_cannot_populate_is_asked_once) {
  expect_passed([] {
    knows_populate = false;
    run_phase(32 * mib, 64);
    require(populates <= 1, "asked again: ", populates.load());
  });
}

TEST(malloc_system_calls, no_call_waits_for_more_than_256_kib_of_memory_in_advance) {
  expect_passed([] {
    detail::the_pages.supply.set_huge_pages_from(SIZE_MAX, true);
    run_phase(96 * mib, 48);
    require(most_populated > 64 << 10, "little at once: ", most_populated.load());
    require(most_populated <= 256 << 10, "at once: ", most_populated.load());
  });
}

TEST(malloc_system_calls, memory_is_to_be_of_huge_pages_while_it_grows) {
  expect_passed([] {
    time_stands_still = true;
    std::vector<void*> blocks;
    const auto grow_by = [&](std::size_t bytes) {
      for (; bytes >= 1000; bytes -= 1000) blocks.push_back(detail::allocate(1000));
    };
    detail::the_pages.supply.set_huge_pages_from(32 * mib, true);
    grow_by(30 * mib);
    require(asked_to_be_huge == 0, "a small program asks");
    grow_by(270 * mib);
    require(asked_to_be_huge > 200 * mib, "asked for too little: ", asked_to_be_huge.load());
    require(left_small == 0, "what grows is left small");
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i % 16 != 0) detail::deallocate(blocks[i]);
      if (i % 10'000 == 0) ++seconds_later;
    }
    require(asked_to_be_huge == left_small, "a daemon may fill up what went back");
    grow_by(600 * mib);
    require(asked_to_be_huge > left_small, "what grows again is not asked for");
    detail::trim();
    require(asked_to_be_huge == left_small, "what is there no more is not forgotten");
  });
}

TEST(malloc_system_calls, large_blocks_take_huge_pages_only_if_the_program_touches_its_memory) {
  for (const std::size_t bytes : {66'000u, 100'000u, 200'000u}) {
    expect_passed([=] {
      const auto grow = [=] {
        for (int i = 0; i < 500; ++i) detail::allocate(bytes);
      };
      detail::the_pages.supply.set_huge_pages_from(8 * mib, true);
      peak_resident_kib = 3 * 1024;
      grow();
      require(asked_to_be_huge == 0, "asked for buffers of ", bytes);
      peak_resident_kib = 900 * 1024;
      grow();
      require(asked_to_be_huge > 10 * mib, "asked for too little: ", asked_to_be_huge.load());
    });
  }
}

// They hold many slabs, of which hardly a page is touched.
TEST(malloc_system_calls, threads_that_need_a_block_of_each_size_take_no_huge_pages) {
  expect_passed([] {
    detail::the_pages.supply.set_huge_pages_from(24 * mib, false);
    constexpr int threads = 100;
    std::latch all_are_there(threads);
    std::atomic<std::size_t> held{0};
    mallard_test::in_threads(threads, [&] {
      for (std::size_t bytes = 16; bytes < 9000; bytes += 16) {
        detail::deallocate(detail::allocate(bytes));
      }
      held = std::max(held.load(), detail::the_pages.budget.in_use());
      all_are_there.arrive_and_wait();
    });
    require(held > 40 * mib, "they hold too little for the test: ", held.load());
    require(asked_to_be_huge == 0, "asked for, bytes: ", asked_to_be_huge.load());
  });
}

TEST(malloc_system_calls, a_system_that_has_no_huge_pages_at_hand_is_asked_seldom) {
  expect_passed([] {
    milliseconds_a_look = 5;
    detail::the_pages.supply.set_huge_pages_from(32 * mib, true);
    run_phase(300 * mib, 1000, 0);  // a sanitizer would take five times what is written
    require(asked_to_be_huge > 0, "never asked");
    require(asked_to_be_huge < 100 * mib, "asked too often: ", asked_to_be_huge.load());
    require(asked_to_be_huge == left_small, "more is asked for than the first");
    detail::the_pages.supply.set_huge_pages_from(32 * mib, false);
    run_phase(600 * mib, 1000, 0);
    require(asked_to_be_huge > 200 * mib, "who wants them in any case gets few");
  });
}

TEST(malloc_system_calls, memory_comes_and_goes_while_the_lock_is_free) {
  expect_passed([] {
    looks_at_locks = true;
    for (int i = 0; i < 4; ++i) run_phase(48 * mib, 64);
    detail::trim();
    require(purged_bytes > 40 * mib, "nothing was given back");
#ifdef MADV_POPULATE_WRITE
    require(populates > 0, "nothing was populated");
#endif
    require(calls_under_lock == 0, "calls under the lock: ", calls_under_lock.load());
  });
}

TEST(malloc_system_calls, large_and_huge_blocks_go_back_while_all_locks_are_free) {
  expect_passed([] {
    looks_at_locks = true;
    // Every other one stays, so that no segment goes as a whole.
    std::vector<void*> blocks(200);
    for (void*& p : blocks) std::memset(p = detail::allocate(600'000), 1, 600'000);
    for (std::size_t i = 0; i < blocks.size(); i += 2) detail::deallocate(blocks[i]);
    detail::trim();
    require(purged_bytes > 30 * mib, "of free parts were given back: ", purged_bytes.load());
    for (std::size_t i = 1; i < blocks.size(); i += 2) detail::deallocate(blocks[i]);
    for (void*& p : blocks) p = detail::allocate(std::size_t{9} * mib);
    for (void* p : blocks) detail::deallocate(p);
    detail::trim();
    require(unmapped_bytes > 1000 * mib, "nothing was unmapped");
    require(calls_under_lock == 0, "calls under a lock: ", calls_under_lock.load());
  });
}

// Free parts that were given back are not given back again with every block that comes after.
TEST(malloc_system_calls, free_parts_between_large_blocks_are_given_back_once) {
  expect_passed([] {
    time_stands_still = true;
    std::vector<void*> blocks(200);
    for (void*& p : blocks) std::memset(p = detail::allocate(600'000), 1, 600'000);
    for (std::size_t i = 0; i < blocks.size(); i += 2) detail::deallocate(blocks[i]);
    detail::trim();
    const std::size_t before = purged_bytes;
    detail::trim();
    require(purged_bytes - before < mib, "given back again: ", purged_bytes - before);
  });
}

// Memory populated ahead comes from the system, too, when it was given back before.
TEST(malloc_system_calls, who_frees_and_allocates_the_same_by_turns_soon_keeps_it) {
  expect_passed([] {
    time_stands_still = true;
    run_phase(64 * mib, 64);
    run_phase(64 * mib, 64);
    run_phase(64 * mib, 64);
    const std::size_t before = purged_bytes;
    for (int i = 0; i < 6; ++i) run_phase(64 * mib, 64);
    const std::size_t later = purged_bytes - before;
    require(later < 64 * mib, "given back in six phases of 64 MiB: ", later);
  });
}

// Blocks of 16 bytes to 64 KiB, as many of each doubling.
void* allocate_some(std::uint64_t drawn) {
  const std::size_t least = std::size_t{16} << drawn % 12;
  const std::size_t bytes = least + drawn / 12 % least;
  return std::memset(detail::allocate(bytes), 1, bytes);
}

TEST(malloc_system_calls, who_replaces_blocks_by_others_keeps_the_pages_between_them) {
  expect_passed([] {
    time_stands_still = true;
    constexpr std::size_t count = 4'096;
    std::vector<void*> live(count);
    std::uint64_t seed = 1;
    const auto draw = [&] {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      return seed >> 33;
    };
    for (void*& p : live) p = allocate_some(draw());
    for (int i = 0; i < 200'000; ++i) {
      void*& p = live[draw() % count];
      detail::deallocate(p);
      p = allocate_some(draw());
    }
    require(purged_bytes < mib, "given back while blocks are replaced: ", purged_bytes.load());
    // And who frees for good does not for long.
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 10 != 0) detail::deallocate(live[i]);
    }
    for (; seconds_later < 10; ++seconds_later) run_phase(mib, 100);
    require(purged_bytes > 2 * mib, "given back of what was freed: ", purged_bytes.load());
  });
}

// Touches so many bytes in blocks of 64 to 2,063 bytes, and has nine of ten freed in no order by
// `free_one`.
template <class Free>
void free_most_at_random(std::size_t bytes, Free&& free_one) {
  std::uint64_t seed = 1;
  const auto draw = [&] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
  };
  std::vector<void*> blocks;
  for (std::size_t sum = 0; sum < bytes;) {
    const std::size_t size = 64 + draw() % 2'000;
    blocks.push_back(std::memset(detail::allocate(size), 1, size));
    sum += size;
  }
  for (std::size_t i = blocks.size(); i-- > 1;) std::swap(blocks[i], blocks[draw() % (i + 1)]);
  for (std::size_t i = 0; i < blocks.size() / 10 * 9; ++i) free_one(blocks[i]);
}

// All but one in 32 stay only until the next round.
TEST(malloc_system_calls, pages_between_blocks_that_are_soon_touched_again_stay) {
  expect_passed([] {
    time_stands_still = true;
    constexpr std::size_t count = 24 * mib / 2'000;
    std::vector<void*> live(count);
    for (int round = 0; round < 20; ++round) {
      if (round % 4 == 0) ++seconds_later;
      for (void*& p : live) {
        if (p == nullptr) p = std::memset(detail::allocate(2'000), 1, 2'000);
      }
      for (std::size_t i = 0; i < count; ++i) {
        void*& p = live[i * 7'919 % count];
        if (i % 32 != 0) detail::deallocate(std::exchange(p, nullptr));
      }
    }
    require(purged_bytes < mib, "given back in 20 rounds: ", purged_bytes.load());
    // When nobody touches them, half of them goes each second.
    for (; seconds_later < 20; ++seconds_later) run_phase(mib, 100);
    require(purged_bytes > 8 * mib, "given back at last: ", purged_bytes.load());
  });
}

// Blocks of all kinds, whose neighbours stay, also of a heap of the program's own and a thread that
// has ended.
TEST(malloc_system_calls, what_a_trim_has_given_back_the_next_one_leaves_alone) {
  expect_passed([] {
    detail::user_heap* const heap = detail::user_heap::create();
    const auto fill = [=] {
      free_most_at_random(8 * mib, [](void* p) { detail::deallocate(p); });
      std::vector<void*> large(20);
      for (void*& p : large) p = std::memset(detail::allocate(mib), 1, mib);
      for (std::size_t i = 0; i < large.size(); i += 2) detail::deallocate(large[i]);
      for (void*& p : large) p = std::memset(heap->allocate(mib, 16), 1, mib);
      for (std::size_t i = 0; i < large.size(); i += 2) detail::deallocate(large[i]);
      detail::deallocate(std::memset(detail::allocate(9 * mib), 1, 9 * mib));
    };
    for (int round = 0; round < 3; ++round) {
      std::thread(fill).join();
      fill();
      require(detail::trim(), "nothing went back in round ", round);
      const long before = purges;
      require(!detail::trim(), "something went back again in round ", round);
      require(purges == before, "calls for nothing: ", purges - before);
      // One block is enough for there to be some again.
      detail::deallocate(std::memset(detail::allocate(40'000), 1, 40'000));
      require(detail::trim(), "nothing of one block went back");
    }
  });
}

TEST(malloc_system_calls, no_free_gives_back_the_pages_of_a_whole_heap) {
  expect_passed([] {
    time_stands_still = true;
    detail::the_pages.set_most_kept(mib);
    long most = 0;
    free_most_at_random(100 * mib, [&](void* p) {
      const long before = purges;
      detail::deallocate(p);
      most = std::max(most, purges - before);
    });
    require(most < 400, "calls of the system for one free: ", most);
    // The rest comes with the next frees.
    run_phase(4 * mib, 100);
    require(purged_bytes > 10 * mib, "given back: ", purged_bytes.load());
  });
}

// Mebibytes without memory go again where a block that was used lies behind them.
TEST(malloc_system_calls, a_free_gives_back_little_more_than_itself) {
  for (const std::size_t bytes : {std::size_t{300'000}, mib, 5 * mib}) {
    expect_passed([=] {
      time_stands_still = true;
      peak_resident_kib = long{1} << 30;
      detail::the_pages.set_most_kept(50 * mib);
      std::vector<void*> blocks(150 * mib / bytes);
      for (void*& p : blocks) p = std::memset(detail::allocate(bytes), 1, bytes);
      std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(1));
      std::size_t most = 0;
      for (void* const p : blocks) {
        const std::size_t before = mallard_test::resident_bytes();
        detail::deallocate(p);
        most = std::max(most, before - std::min(before, mallard_test::resident_bytes()));
      }
      require(most < 2 * bytes + 10 * mib, "of ", bytes, " bytes: ", most);
      require(purged_bytes > 80 * mib, "in all: ", purged_bytes.load());
    });
  }
}

// Where there are thousands of segments, a walk through all takes longer than the free.
TEST(malloc_system_calls, a_free_gives_the_supply_few_segments) {
  expect_passed([] {
    detail::the_pages.budget.set_most_kept(std::size_t{64} << 30);
    std::vector<void*> blocks(200);
    for (void*& p : blocks) p = detail::allocate(5 * mib);
    const auto reserved = [] {
      std::size_t bytes = 0;
      for (detail::large_space& space : detail::the_pages.spaces) {
        bytes += space.usage().reserved_bytes;
      }
      return bytes;
    };
    for (std::size_t i = 2; i < blocks.size(); ++i) detail::deallocate(blocks[i]);
    const std::size_t before = reserved();
    detail::the_pages.budget.set_most_kept(0);
    detail::deallocate(blocks[1]);
    require(reserved() < before, "no segment went");
    require(reserved() > before / 2, "so much went at once: ", before - reserved());
    detail::deallocate(blocks[0]);
  });
}

TEST(malloc_system_calls, large_blocks_allocated_and_freed_by_turns_take_no_page_faults) {
  for (const std::size_t bytes : {6 * mib, 8 * mib, 9 * mib, 20 * mib, 30 * mib}) {
    expect_passed([=] {
      const auto turn = [=] {
        void* const p = detail::allocate(bytes);
        std::memset(p, 1, bytes);
        detail::deallocate(p);
      };
      for (int i = 0; i < 3; ++i) turn();
      const long before = mallard_test::page_faults();
      for (int i = 0; i < 20; ++i) turn();
      require(mallard_test::page_faults() - before < 100,
              "page faults: ", mallard_test::page_faults() - before, ", of bytes ", bytes);
    });
  }
}

TEST(malloc_system_calls, huge_blocks_of_other_sizes_by_turns_take_few_page_faults) {
  // A sanitizer's own pages count, too.
  if (mallard_test::instrumented) return;
  for (const std::size_t alive : {1u, 4u}) {
    expect_passed([=] {
      std::vector<void*> blocks(alive);
      std::mt19937_64 random(1);
      std::size_t pages = 0;
      const long before = mallard_test::page_faults();
      for (std::size_t i = 0; i < 100; ++i) {
        const std::size_t bytes = 9 * mib + random() % (21 * mib);
        pages += bytes / detail::os::page_size();
        detail::deallocate(blocks[i % alive]);
        blocks[i % alive] = std::memset(detail::allocate(bytes), 1, bytes);
      }
      const auto taken = static_cast<std::size_t>(mallard_test::page_faults() - before);
      require(taken < pages / 4, "page faults: ", taken, ", of pages: ", pages);
    });
  }
}

TEST(malloc_system_calls, blocks_that_stay_in_kept_mappings_hold_little_more_than_their_size) {
  for (const std::size_t limit : {SIZE_MAX, 380 * mib}) {
    expect_passed([=] {
      detail::the_pages.set_limit(limit);
      for (int i = 0; i < 40; ++i) {
        detail::deallocate(detail::allocate(18 * mib));
        require(detail::allocate(9 * mib) != nullptr, "refused after blocks: ", i);
      }
      const std::size_t held = detail::the_pages.huge.usage().mapped_bytes;
      require(held < 400 * mib, "held for 360 MiB: ", held);
    });
  }
}

TEST(malloc_system_calls, blocks_of_kept_mappings_are_zeroed_and_sized_as_others) {
  expect_passed([] {
    for (int i = 0; i < 30; ++i) {
      const std::size_t bytes = 9 * mib + static_cast<std::size_t>(i * 37 % 11) * mib;
      auto* const p = static_cast<unsigned char*>(i % 2 == 0 ? detail::allocate_zeroed(bytes)
                                                             : detail::allocate(bytes));
      require(detail::usable_bytes(p) >= bytes, "too small");
      for (std::size_t at = 0; i % 2 == 0 && at < bytes; at += 511) require(p[at] == 0, "not zero");
      std::memset(p, 7, detail::usable_bytes(p));
      detail::deallocate(p);
    }
    require(detail::the_pages.huge.usage().kept_bytes != 0, "none was kept");
    detail::trim();
    require(detail::the_pages.huge.usage().kept_bytes == 0, "kept after a trim");
  });
}

// Blocks of every class, more of the small ones.
void touch_every_class() {
  std::vector<void*> blocks;
  for (unsigned c = 0; c < detail::malloc_class_count; ++c) {
    const std::size_t bytes = detail::class_bytes(c);
    for (std::size_t i = 0; i < 6 + 65536 / bytes; ++i) {
      blocks.push_back(std::memset(detail::allocate(bytes), 1, bytes));
    }
  }
  for (void* p : blocks) detail::deallocate(p);
}

// A program that allocates and frees the same by turns has it kept, but no more than may be kept in
// all, however often the size changes. 256 KiB to 8 MiB are parts of segments, more is a mapping,
// fresh or kept.
TEST(malloc_system_calls, zeroed_blocks_take_no_more_memory_than_is_touched_of_them) {
  for (const std::size_t bytes : {300'000ul, mib, 4 * mib, 7 * mib, 12 * mib}) {
    // A sanitizer takes four times the blocks beside them: gigabytes of the larger ones.
    if (mallard_test::instrumented && bytes > 4 * mib) continue;
    expect_passed([=] {
      const auto zeroed_blocks = [=] {
        std::vector<unsigned char*> blocks(96 * mib / bytes);
        const std::size_t before = mallard_test::resident_bytes();
        for (unsigned char*& p : blocks) {
          p = static_cast<unsigned char*>(detail::allocate_zeroed(bytes));
          p[0] = p[bytes / 2] = 1;
        }
        const std::size_t now = mallard_test::resident_bytes();
        require(now < before + 12 * mib, "touched: ", 2 * blocks.size(), ", bytes: ", now - before);
        return blocks;
      };
      for (unsigned char* p : zeroed_blocks()) detail::deallocate(p);
      // Parts that were used, given back and joined again are zero, too.
      for (std::size_t round = 0; round < 3; ++round) {
        std::vector<void*> used;
        for (std::size_t i = 0; i < 40; ++i) {
          const std::size_t size = 256'000 + i * bytes / 24;
          used.push_back(std::memset(detail::allocate(size), 0xff, size));
        }
        for (std::size_t i = 0; i < used.size(); i += 2) detail::deallocate(used[i]);
        detail::trim();
        for (std::size_t i = 1; i < used.size(); i += 2) detail::deallocate(used[i]);
        if (round != 1) detail::trim();
        std::vector<unsigned char*> zeroed;
        for (std::size_t i = 0; i < 20; ++i) {
          const std::size_t size = 280'000 + i * bytes / 16;
          zeroed.push_back(static_cast<unsigned char*>(detail::allocate_zeroed(size)));
          const unsigned char* const p = zeroed.back();
          // All are equal to the first: a loop over bytes takes a minute under a sanitizer.
          require(p[0] == 0 && std::memcmp(p, p + 1, size - 1) == 0, "not zero: ", size);
          std::memset(zeroed.back(), 0xff, size);
        }
        for (void* p : zeroed) detail::deallocate(p);
      }
    });
  }
}

TEST(malloc_system_calls, fresh_blocks_of_large_classes_are_zero_without_being_touched) {
  for (const std::size_t bytes : {100'000ul, 140'000ul, 200'000ul, 256ul << 10}) {
    expect_passed([=] {
      std::vector<unsigned char*> blocks(60);
      detail::deallocate(detail::allocate(40'000));  // there is a heap
      const std::size_t before = mallard_test::resident_bytes();
      for (unsigned char*& p : blocks) {
        p = static_cast<unsigned char*>(detail::allocate_zeroed(bytes));
        p[0] = p[bytes - 1] = 1;
      }
      const std::size_t now = mallard_test::resident_bytes();
      require(now < before + 2 * mib, "of ", bytes, " bytes: ", now - before);
    });
  }
}

// Blocks that were used come back by all ways: magazines, slabs, trims, threads that have ended.
TEST(malloc_system_calls, used_blocks_of_large_classes_are_zeroed) {
  expect_passed([] {
    std::mt19937_64 random(1);
    std::vector<void*> live(40);
    const auto run = [&] {
      for (int i = 0; i < 2'000; ++i) {
        void*& p = live[random() % live.size()];
        detail::deallocate(p);
        const std::size_t bytes = 33'000 + random() % 229'000;
        const bool zeroed = random() % 2 == 0;
        p = zeroed ? detail::allocate_zeroed(bytes) : detail::allocate(bytes);
        const auto* const begin = static_cast<unsigned char*>(p);
        require(!zeroed || (begin[0] == 0 && std::memcmp(begin, begin + 1, bytes - 1) == 0),
                "not zero: ", bytes);
        std::memset(p, 0xff, detail::usable_bytes(p));
        if (i % 500 == 0) detail::trim();
      }
    };
    for (int round = 0; round < 3; ++round) {
      std::thread(run).join();
      run();
    }
  });
}

TEST(malloc_system_calls, memory_that_is_locked_and_does_not_go_back_is_zeroed_all_the_same) {
  expect_passed([] {
    constexpr std::size_t bytes = mib;
    void* p[8];
    for (void*& one : p) one = std::memset(detail::allocate(bytes), 0xff, bytes);
    if (mlockall(MCL_CURRENT) != 0) return;  // not allowed here
    for (void* one : p) detail::deallocate(one);
    detail::trim();
    for (void*& one : p) {
      auto* const bytes_of = static_cast<unsigned char*>(one = detail::allocate_zeroed(bytes));
      require(bytes_of[0] == 0 && std::memcmp(bytes_of, bytes_of + 1, bytes - 1) == 0, "not zero");
    }
    munlockall();
    for (void* one : p) detail::deallocate(one);
  });
}

TEST(malloc_system_calls, what_phases_of_different_sizes_leave_is_bounded_in_all) {
  expect_passed([] {
    time_stands_still = true;
    constexpr std::size_t phase = (mallard_test::instrumented ? 40 : 200) * mib;
    for (const std::size_t bytes : {64ul, 1'000ul, 20'000ul, 100'000ul, 600'000ul, 20 * mib}) {
      for (int i = 0; i < 3; ++i) run_phase(phase, bytes);
      const std::size_t held = mallard_test::resident_bytes();
      // A sanitizer keeps more beside it than the blocks.
      require(mallard_test::instrumented || held < 200 * mib, "resident: ", held,
              ", after blocks of ", bytes);
    }
  });
}

TEST(malloc_system_calls, of_large_mappings_a_quarter_of_the_recent_peak_is_kept) {
  expect_passed([] {
    time_stands_still = true;
    peak_resident_kib = long{1} << 30;
    std::vector<void*> blocks(10);
    for (int i = 0; i < 4; ++i) {
      for (void*& p : blocks) p = detail::allocate(60 * mib);
      for (void* p : blocks) detail::deallocate(p);
    }
    const std::size_t kept = detail::the_pages.huge.usage().kept_bytes;
    require(kept > 100 * mib && kept <= 151 * mib, "kept: ", kept);
  });
}

TEST(malloc_system_calls, blocks_that_are_hardly_touched_are_kept_though_they_have_many_addresses) {
  for (const std::size_t bytes : {std::size_t{300'000}, 9 * mib}) {
    expect_passed([=] {
      std::vector<void*> blocks(std::size_t{1'500} * mib / bytes);
      const auto replace_all = [&] {
        for (void*& p : blocks) detail::deallocate(p);
        for (void*& p : blocks) static_cast<char*>(p = detail::allocate(bytes))[bytes / 2] = 1;
      };
      peak_resident_kib = 50 * 1024;
      replace_all();
      replace_all();
      const long faults = mallard_test::page_faults();
      const std::size_t gone = purged_bytes + unmapped_bytes;
      replace_all();
      require(purged_bytes + unmapped_bytes == gone,
              "gone: ", purged_bytes + unmapped_bytes - gone);
      if (mallard_test::instrumented) return;
      require(mallard_test::page_faults() - faults < static_cast<long>(blocks.size()) / 10,
              "page faults: ", mallard_test::page_faults() - faults);
    });
  }
}

// All that the engine has from the system, apart from the regions' headers.
std::size_t taken_bytes() {
  const detail::supply_usage slices = detail::the_pages.supply.usage();
  const detail::huge_usage huge = detail::the_pages.huge.usage();
  return slices.in_use_bytes + slices.dirty_bytes + huge.mapped_bytes + huge.kept_bytes;
}

TEST(malloc_system_calls, pages_kept_in_slabs_leave_room_for_large_blocks) {
  expect_passed([] {
    time_stands_still = true;
    std::vector<void*> blocks(100'000);
    for (void*& p : blocks) std::memset(p = detail::allocate(1'000), 1, 1'000);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i % 256 != 0) detail::deallocate(blocks[i]);
    }
    const std::size_t before = purged_bytes;
    for (int i = 0; i < 1'000; ++i) {
      void* const p = detail::allocate(300'000 + static_cast<std::size_t>(i % 5) * 100'000);
      detail::deallocate(std::memset(p, 1, 300'000));
    }
    require(purged_bytes - before < mib, "given back: ", purged_bytes - before);
  });
}

TEST(malloc_system_calls, slabs_take_the_memory_that_large_blocks_have_left) {
  expect_passed([] {
    run_phase(20 * mib, 300'000);
    // One of them is still in use, and what it is in is cut.
    void* const large = detail::allocate(300'000);
    std::memset(large, 1, 300'000);
    std::vector<void*> blocks(16'000);
    for (void*& p : blocks) std::memset(p = detail::allocate(1'000), 2, 1'000);
    require(taken_bytes() < 24 * mib, "taken for 16 MiB: ", taken_bytes());
    require(
        std::count(static_cast<char*>(large), static_cast<char*>(large) + 300'000, 1) == 300'000,
        "the large block was changed");
    for (void* p : blocks) detail::deallocate(p);
    detail::deallocate(large);
    run_phase(20 * mib, 300'000);
    detail::trim();
    require(taken_bytes() < 4 * mib, "taken at the end: ", taken_bytes());
  });
}

TEST(malloc_system_calls, few_large_blocks_are_calls_enough_for_memory_to_go_back) {
  expect_passed([] {
    time_stands_still = true;
    run_phase(100 * mib, 600'000);
    const std::size_t before = purged_bytes;
    for (; seconds_later < 10; ++seconds_later) detail::deallocate(detail::allocate(600'000));
    require(purged_bytes - before > 20 * mib, "given back: ", purged_bytes - before);
  });
}

TEST(malloc_system_calls, what_is_kept_counts_under_a_limit) {
  for (const bool keeps : {true, false}) {
    expect_passed([=] {
      time_stands_still = true;
      constexpr std::size_t limit = 100 * mib;
      detail::the_pages.set_limit(limit);
      if (!keeps) detail::the_pages.set_most_kept(0);
      for (std::size_t i = 0; i < (mallard_test::instrumented ? 9u : 40u); ++i) {
        if (i % 8 == 0) run_phase(60 * mib, 64);
        void* const p = detail::allocate((10 + i * 37 % 80) * mib);
        require(p != nullptr, "refused in turn ", i);
        require(taken_bytes() <= limit, "taken: ", taken_bytes());
        detail::deallocate(p);
        require(taken_bytes() <= limit, "taken after a free: ", taken_bytes());
        require(keeps || taken_bytes() < 4 * mib, "kept: ", taken_bytes());
      }
    });
  }
}

// Not even the owner's protection stays with what another one gets.
TEST(malloc_system_calls, pages_that_were_protected_are_not_kept) {
  expect_passed([] {
    for (int i = 0; i < 6; ++i) {
      auto* const p = static_cast<std::byte*>(detail::allocate(20 * mib));
      std::memset(p, 1, 20 * mib);
      auto* const page =
          reinterpret_cast<void*>(detail::round_up(detail::address_of(p + mib), 4096));
      require(mprotect(page, mib, PROT_READ) == 0, "not protected");
      detail::deallocate(p);
    }
  });
}

// The memory that is there of all slabs of other threads' heaps.
std::size_t resident_in_slabs_of_others() {
  std::size_t pages = 0;
  for (detail::malloc_heap* h = detail::the_heaps.first(); h != nullptr; h = h->next) {
    if (h == detail::cache.heap) continue;
    h->for_each_slab([&](detail::slab& s) {
      std::array<unsigned char, 512> is_there{};
      const std::size_t bytes = detail::class_layouts[s.layout_index].slab_bytes;
      require(mincore(detail::start_of(&s), bytes, is_there.data()) == 0, "no look at pages");
      for (const unsigned char one : is_there) pages += one & 1;
    });
  }
  return pages * detail::os::page_size();
}

// The bytes still held by a thread that has done some work and does nothing any more, after
// `activity()`.
std::size_t held_by_quiet_thread(const std::function<void()>& activity,
                                 const std::function<void()>& work = touch_every_class) {
  detail::deallocate(detail::allocate(5'000));  // this thread has a heap now
  std::atomic<int> step{0};
  std::thread one([&] {
    work();
    step = 1;
    while (step == 1) std::this_thread::yield();
  });
  while (step == 0) std::this_thread::yield();
  activity();
  const std::size_t bytes = resident_in_slabs_of_others();
  step = 2;
  one.join();
  return bytes;
}

void free_mixed_blocks() {
  std::mt19937 random(1);
  std::vector<void*> blocks(2'000);
  for (void*& p : blocks) {
    const std::size_t bytes = 16 + random() % (16 << 10);
    p = std::memset(detail::allocate(bytes), 1, bytes);
  }
  for (void* p : blocks) detail::deallocate(p);
}

// Blocks at hand, one slab without any, and what is free beside the former.
TEST(malloc_system_calls, a_thread_that_has_freed_all_holds_little_at_once) {
  expect_passed([] {
    time_stands_still = true;
    const std::size_t held = held_by_quiet_thread([] {}, free_mixed_blocks);
    require(held < 7 * mib / 2, "the thread holds ", held);
  });
}

// A look passes those by of which nothing is to go, however many there are.
TEST(malloc_system_calls, few_looks_reach_one_quiet_thread_among_many) {
  expect_passed([] {
    time_stands_still = true;
    constexpr int count = 60;
    std::atomic<int> ready{0};
    std::atomic<bool> goes_on{false};
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < count; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 100; ++i) detail::deallocate(detail::allocate(100));
        ++ready;
        while (t == 0 && !goes_on) std::this_thread::yield();
        if (t == 0) free_mixed_blocks();
        if (t == 0) ++ready;
        while (!is_over) std::this_thread::yield();
      });
      while (ready != t + 1) std::this_thread::yield();
    }
    const auto look_around = [](int looks) {
      for (int round = 0; round < 2; ++round) {
        ++seconds_later;
        for (int i = 0; i < looks; ++i) detail::the_heaps.trim_quiet();
      }
    };
    look_around(1'000);
    goes_on = true;
    while (ready != count + 1) std::this_thread::yield();
    const std::size_t held = resident_in_slabs_of_others();
    look_around(count / 3);
    const std::size_t left = resident_in_slabs_of_others();
    is_over = true;
    for (std::thread& t : threads) t.join();
    require(left < held - mib / 2, "held: ", held, ", left: ", left);
  });
}

TEST(malloc_system_calls, a_trim_reaches_what_a_quiet_thread_holds) {
  expect_passed([] {
    const std::size_t held = held_by_quiet_thread([] { detail::trim(); });
    require(held < 5 * mib / 2, "the thread holds ", held);
  });
}

TEST(malloc_system_calls, what_a_quiet_thread_holds_goes_while_others_are_active) {
  expect_passed([] {
    const std::size_t held = held_by_quiet_thread([] {
      const auto start = std::chrono::steady_clock::now();
      do {
        run_phase(mib, 100);
      } while (resident_in_slabs_of_others() >= 5 * mib / 2 &&
               std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
    });
    require(held < 5 * mib / 2, "the thread holds ", held);
  });
}

TEST(malloc_system_calls, a_quiet_thread_with_many_blocks_to_put_back_delays_nobody) {
  expect_passed([] {
    time_stands_still = true;
    std::vector<void*> blocks(200'000);
    std::atomic<int> step{0};
    const auto wait_for = [&](int next) {
      while (step != next) std::this_thread::yield();
    };
    std::thread quiet([&] {
      for (void*& p : blocks) p = detail::allocate(48);
      {
        // While it has its lock, nobody puts anything back.
        const detail::holding hold(detail::cache.heap->lock());
        step = 1;
        wait_for(2);
      }
      step = 3;
      wait_for(4);
    });
    wait_for(1);
    for (void* p : blocks) detail::deallocate(p);
    step = 2;
    wait_for(3);
    run_phase(60 * mib, 20 * mib);
    for (int i = 0; i < 10; ++i) {
      ++seconds_later;
      for (int look = 0; look < 16; ++look) detail::the_heaps.trim_quiet();
    }
    const std::size_t kept = detail::the_pages.huge.usage().kept_bytes;
    step = 4;
    quiet.join();
    require(kept < 20 * mib, "kept: ", kept);
  });
}

TEST(malloc_system_calls, no_call_gives_back_what_all_quiet_threads_hold) {
  expect_passed([] {
    detail::deallocate(detail::allocate(5'000));  // this thread has a heap now
    std::atomic<int> ready{0};
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        free_most_at_random(8 * mib, [](void* p) { detail::deallocate(p); });
        ++ready;
        while (!is_over) std::this_thread::yield();
      });
    }
    while (ready != 8) std::this_thread::yield();
    const std::size_t held = resident_in_slabs_of_others();
    long most = 0;
    const auto count_purges = [&](auto&& call) {
      const long before = purges;
      call();
      most = std::max(most, purges - before);
    };
    std::vector<void*> blocks(10'000);
    const auto start = std::chrono::steady_clock::now();
    do {
      for (void*& p : blocks) count_purges([&] { p = detail::allocate(100); });
      for (void* p : blocks) count_purges([&] { detail::deallocate(p); });
    } while (resident_in_slabs_of_others() > held - 8 * mib &&
             std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
    const std::size_t left = resident_in_slabs_of_others();
    is_over = true;
    for (std::thread& t : threads) t.join();
    require(left <= held - 8 * mib, "held: ", held, ", left: ", left);
    require(most < 400, "calls of the system in one: ", most);
  });
}

TEST(malloc_system_calls, the_slabs_of_ended_threads_are_all_in_one_heap) {
  expect_passed([] {
    constexpr std::size_t count = 100;
    std::vector<void*> left(2 * count);
    std::atomic<std::size_t> ready{0};
    mallard_test::in_threads(count, [&](std::size_t t) {
      for (int i = 0; i < 100; ++i) detail::deallocate(detail::allocate(3'000));
      left[2 * t] = detail::allocate(3'000);
      left[2 * t + 1] = detail::allocate(40);
      // All are there at once, each with a heap of its own.
      ++ready;
      while (ready != count) std::this_thread::yield();
    });
    std::size_t heaps = 0;
    std::size_t with_slabs = 0;
    for (detail::malloc_heap* h = detail::the_heaps.first(); h != nullptr; h = h->next) {
      ++heaps;
      if (h != detail::cache.heap && !h->has_no_slabs()) ++with_slabs;
    }
    require(heaps > count && with_slabs == 1, "heaps with slabs: ", with_slabs, " of ", heaps);
    for (void* p : left) detail::deallocate(p);
    detail::trim();
    for (detail::malloc_heap* h = detail::the_heaps.first(); h != nullptr; h = h->next) {
      if (h != detail::cache.heap) require(h->has_no_slabs(), "slabs without blocks were kept");
    }
  });
}

}  // namespace
