// Processes that are killed while they allocate: the others go on, and no block is harmed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <random>

#include "mallard/memory/shared.hpp"
#include "support/instrumented.hpp"
#include "support/marked_block.hpp"
#include "support/watchdog.hpp"

namespace {

using mallard::shared_resource;

constexpr std::size_t mib = std::size_t{1} << 20;

// What a build that is only to compile otherwise need not repeat.
#ifdef MALLARD_BRIEF_TESTS
constexpr bool is_brief = true;
#else
constexpr bool is_brief = mallard_test::instrumented;
#endif

// A block in one word.
struct block {
  std::uint64_t offset : 32;
  std::uint64_t bytes : 24;
  std::uint64_t mark : 8;
};
static_assert(sizeof(block) == 8);

// What is allocated, in the shared memory itself: who takes an entry out has its block alone.
struct ledger {
  std::array<std::atomic<std::uint64_t>, 512> entries{};
  std::atomic<int> processes[2] = {0, 0};
  std::atomic<int> kills{0};
  std::atomic<int> stop{0};
  std::atomic<int> harmed{0};
};

bool is_whole(shared_resource& shared, block b) {
  auto* const p = static_cast<unsigned char*>(shared.base()) + b.offset;
  return mallard_test::is_unchanged({p, b.bytes, static_cast<unsigned char>(b.mark)});
}

void take_out(shared_resource& shared, ledger& all, std::atomic<std::uint64_t>& entry) {
  const std::uint64_t word = entry.exchange(0);
  if (word == 0) return;
  const auto b = std::bit_cast<block>(word);
  if (!is_whole(shared, b)) ++all.harmed;
  shared.deallocate(static_cast<std::byte*>(shared.base()) + b.offset, b.bytes);
}

// Each process writes to a half of the entries, and takes out of all.
void work(shared_resource& shared, ledger& all, unsigned self, unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t half = all.entries.size() / 2;
  while (all.stop == 0) {
    // Its own half is filled, of both is taken.
    auto& entry = all.entries[self * half + random() % half];
    if (entry == 0) {
      const std::size_t bytes = 1 + random() % (random() % 32 == 0 ? 20'000 : 400);
      auto* const p = static_cast<unsigned char*>(shared.try_allocate(bytes));
      if (p == nullptr) continue;
      const auto mark = static_cast<unsigned char>(random());
      std::memset(p, mark, bytes);
      const auto offset =
          static_cast<std::uint64_t>(p - static_cast<unsigned char*>(shared.base()));
      entry = std::bit_cast<std::uint64_t>(block{offset & 0xffffffff, bytes & 0xffffff, mark});
    } else {
      take_out(shared, all, all.entries[random() % all.entries.size()]);
    }
    if (random() % 500 == 0) shared.trim();
    if (random() % 300 != 0) continue;
    const int other = all.processes[1 - self].exchange(0);
    if (other == 0) continue;
    kill(other, SIGKILL);
    ++all.kills;
  }
}

TEST(shared_kill, two_processes_kill_each_other_200_times_and_every_block_is_whole) {
  const mallard_test::watchdog watch("processes that kill each other", std::chrono::seconds(300));
  const int wanted = is_brief ? 60 : 200;
  // Less than what the killed had to themselves, all in all.
  shared_resource shared({.limit_bytes = 12 * mib});
  ledger& all = *shared.make<ledger>("ledger");
  pid_t children[2] = {0, 0};
  unsigned seed = 1;
  const auto start = [&](unsigned i) {
    ++seed;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(250);
      work(shared, all, i, seed);
      _exit(0);
    }
    children[i] = child;
    all.processes[i] = child;
  };
  start(0);
  start(1);
  while (all.kills < wanted) {
    int status = 0;
    const pid_t ended = wait(&status);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    start(ended == children[0] ? 0 : 1);
  }
  all.stop = 1;
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  EXPECT_EQ(all.harmed, 0);
  shared.verify();
  std::size_t blocks = 0;
  for (auto& entry : all.entries) {
    if (entry == 0) continue;
    ++blocks;
    EXPECT_TRUE(is_whole(shared, std::bit_cast<block>(entry.load())));
    take_out(shared, all, entry);
  }
  EXPECT_GT(blocks, 50u);
  shared.reclaim();
  shared.trim();
  // Each of the killed may have lost the block that it was about to get or give.
  EXPECT_LT(shared.stats().in_use_bytes, mib + static_cast<std::size_t>(wanted) * 20'000);
  EXPECT_NE(shared.try_allocate(mib), nullptr);
  shared.verify();
}

// Runs `operation` in a child that is killed after so many instructions of it. Returns how many it
// has run: fewer when it had ended before.
template <class Operation>
long kill_after(long instructions, Operation&& operation) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    operation();
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  bool stepping = WIFSTOPPED(status);
  long done = 0;
  while (done < instructions && stepping) {
    ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    stepping = WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
    if (stepping) ++done;
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return done;
}

constexpr long longest = 1'000'000;

bool can_single_step() {
  const long none = kill_after(longest, [] {});
  return none > 0 && none < longest;
}

// Dies in it at so many places that all ways to them together are of about `steps` instructions,
// which is what takes time; code that is not optimised is longer.
template <class Operation>
void kill_everywhere(shared_resource& shared, long closest, Operation&& operation) {
  const long steps = is_brief ? 100'000 : 1'000'000;
  const long whole = kill_after(longest, [&] { operation(shared); });
  ASSERT_LT(whole, longest);
  const long step = std::max(closest, std::min(whole / 12, whole * whole / 2 / steps)) | 1;
  int deaths = 0;
  for (long n = 0; n < longest; n += step, ++deaths) {
    const bool killed = kill_after(n, [&] { operation(shared); }) == n;
    shared.verify();
    auto* const small = static_cast<char*>(shared.allocate(100));
    auto* const large = static_cast<char*>(shared.allocate(10'000));
    std::memset(small, 1, 100);
    std::memset(large, 2, 10'000);
    shared.deallocate(small, 100);
    shared.deallocate(large, 10'000);
    shared.reclaim();
    shared.verify();
    if (!killed) break;
  }
  EXPECT_GT(deaths, 10);
}

class shared_kill_anywhere : public testing::Test {
  void SetUp() override {
    if (mallard_test::instrumented) GTEST_SKIP() << "instructions are not counted here";
    if (!can_single_step()) GTEST_SKIP() << "no process may be stepped through here";
  }
};

// With the lock held or not, and in the middle of each of the segment's deeds.
TEST_F(shared_kill_anywhere, while_a_slab_is_taken) {
  shared_resource shared;
  kill_everywhere(shared, 61, [](shared_resource& r) { (void)r.allocate(100); });
}

TEST_F(shared_kill_anywhere, while_a_large_block_is_taken_and_given_back) {
  shared_resource shared;
  kill_everywhere(shared, 67, [](shared_resource& r) {
    void* const p = r.allocate(300'000);
    r.deallocate(p, 300'000);
  });
}

TEST_F(shared_kill_anywhere, while_slabs_are_given_back) {
  shared_resource shared;
  kill_everywhere(shared, 211, [](shared_resource& r) {
    void* const p = r.allocate(100);
    void* const q = r.allocate(1000);
    r.deallocate(p, 100);
    r.deallocate(q, 1000);
    r.trim();
  });
}

TEST_F(shared_kill_anywhere, while_a_name_is_given) {
  shared_resource shared;
  kill_everywhere(shared, 101, [&](shared_resource& r) {
    r.set_root("name", nullptr);
    *r.make<int>("name") = 1;
  });
  // Once at most.
  shared.set_root("name", nullptr);
  EXPECT_EQ(shared.root("name"), nullptr);
}

}  // namespace
