// Processes that are killed while they allocate: the others go on, and no block is harmed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "mallard/memory/shared.hpp"
#include "support/instrumented.hpp"
#include "support/marked_block.hpp"
#include "support/units.hpp"
#include "support/watchdog.hpp"

namespace {

using mallard::shared_resource;

using mallard_test::mib;

// A build that is only to compile otherwise need not repeat it.
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

// The blocks, in the shared memory itself: who takes an entry out has its block alone.
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

// An instruction of an operation: the so-manieth of all, and the so-manieth time at its address.
struct place {
  long instruction;
  unsigned long address;
  long visit;
};

// A child that stops before the operation and behind it.
template <class Operation>
pid_t start_stopped(Operation&& operation) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    operation();
    raise(SIGSTOP);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return child;
}

bool has_stopped_at_a_trap(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

bool step(pid_t child) {
  ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
  return has_stopped_at_a_trap(child);
}

void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

unsigned long address_in(pid_t child) {
#ifdef __x86_64__
  return static_cast<unsigned long>(
      ptrace(PTRACE_PEEKUSER, child, offsetof(user_regs_struct, rip), nullptr));
#else
  return static_cast<unsigned long>(child) * 0;
#endif
}

// The path of the operation, an address for each instruction; none when it cannot be stepped
// through.
template <class Operation>
std::vector<unsigned long> way_through(Operation&& operation) {
  constexpr std::size_t longest = 1'000'000;
  const pid_t child = start_stopped(operation);
  std::vector<unsigned long> addresses = {address_in(child)};
  while (addresses.size() < longest && step(child)) addresses.push_back(address_in(child));
  end(child);
  if (addresses.size() == longest || addresses.size() == 1) addresses.clear();
  return addresses;
}

// Runs to the place, if the way leads there this time. To run takes no time, other than to step.
bool go_to(pid_t child, const place& to) {
#ifdef __x86_64__
  auto* const at = reinterpret_cast<void*>(to.address);
  const long code = ptrace(PTRACE_PEEKTEXT, child, at, nullptr);
  const long trap = (code & ~0xffL) | 0xcc;
  for (long visit = 1;; ++visit) {
    ptrace(PTRACE_POKETEXT, child, at, trap);
    ptrace(PTRACE_CONT, child, nullptr, nullptr);
    if (!has_stopped_at_a_trap(child)) return false;
    if (visit == to.visit) return true;
    ptrace(PTRACE_POKETEXT, child, at, code);
    ptrace(PTRACE_POKEUSER, child, offsetof(user_regs_struct, rip), at);
    if (!step(child)) return false;
  }
#else
  for (long n = 0; n < to.instruction; ++n) {
    if (!step(child)) return false;
  }
  return true;
#endif
}

void expect_usable(shared_resource& shared) {
  shared.verify();
  auto* const small = static_cast<char*>(shared.allocate(100));
  auto* const large = static_cast<char*>(shared.allocate(10'000));
  std::memset(small, 1, 100);
  std::memset(large, 2, 10'000);
  shared.deallocate(small, 100);
  shared.deallocate(large, 10'000);
  shared.reclaim();
  shared.verify();
}

// A process is killed at places spread over all of the operation. What the killed leave behind may
// lead the next another way, so that is looked at again.
template <class Operation>
void kill_everywhere(shared_resource& shared, Operation&& operation) {
  constexpr std::size_t places = 60;
  const int ways = is_brief ? 1 : 3;
  int deaths = 0;
  for (int way = 0; way < ways; ++way) {
    const auto addresses = way_through([&] { operation(shared); });
    ASSERT_GT(addresses.size(), places);
    expect_usable(shared);
    for (std::size_t i = 0; i < places; ++i) {
      const std::size_t n = (i * 3 + static_cast<std::size_t>(way)) * addresses.size() / 3 / places;
      const auto here = addresses.begin() + static_cast<std::ptrdiff_t>(n);
      const place to{static_cast<long>(n), *here, std::count(addresses.begin(), here, *here) + 1};
      const pid_t child = start_stopped([&] { operation(shared); });
      deaths += go_to(child, to);
      end(child);
      expect_usable(shared);
    }
  }
  EXPECT_GT(deaths, ways * 20);
}

class shared_kill_anywhere : public testing::Test {
  void SetUp() override {
    if (mallard_test::instrumented) GTEST_SKIP() << "instructions are not counted here";
    if (way_through([] {}).empty()) GTEST_SKIP() << "no process may be stepped through here";
  }
};

// With the lock held or not, and in the middle of each of the segment's deeds.
TEST_F(shared_kill_anywhere, while_a_slab_is_taken) {
  shared_resource shared;
  kill_everywhere(shared, [](shared_resource& r) { (void)r.allocate(100); });
}

TEST_F(shared_kill_anywhere, while_a_large_block_is_taken_and_given_back) {
  shared_resource shared;
  kill_everywhere(shared, [](shared_resource& r) {
    void* const p = r.allocate(300'000);
    r.deallocate(p, 300'000);
  });
}

TEST_F(shared_kill_anywhere, while_slabs_are_given_back) {
  shared_resource shared;
  kill_everywhere(shared, [](shared_resource& r) {
    void* const p = r.allocate(100);
    void* const q = r.allocate(1000);
    r.deallocate(p, 100);
    r.deallocate(q, 1000);
    r.trim();
  });
}

TEST_F(shared_kill_anywhere, while_a_name_is_given) {
  shared_resource shared;
  kill_everywhere(shared, [&](shared_resource& r) {
    r.set_root("name", nullptr);
    *r.make<int>("name") = 1;
  });
  // Once at most.
  shared.set_root("name", nullptr);
  EXPECT_EQ(shared.root("name"), nullptr);
}

}  // namespace
