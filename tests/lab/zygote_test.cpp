// Measuring in processes of their own: what goes wrong there must not go wrong here.
#include "lab/zygote.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "lab/peers.hpp"
#include "sanitized.hpp"

namespace mallard::lab {
namespace {

using testing::HasSubstr;

void count_up(work& job, std::uint64_t runs) {
  for (std::uint64_t i = 0; i < runs; ++i) job.checksum += job.outer_elements;
  usleep(100);
}
void crash(work&, std::uint64_t) {
  std::signal(SIGSEGV, SIG_DFL);  // AddressSanitizer has a handler of its own
  std::raise(SIGSEGV);
}
void leave(work&, std::uint64_t) {
  _exit(3);
}
void hang(work&, std::uint64_t) {
  sleep(60);
}
void exhaust(work& job, std::uint64_t) {
  std::vector<std::vector<char>> hoard;
  while (true) {
    hoard.emplace_back(16 << 20, 'x');
    job.checksum += static_cast<std::uint64_t>(hoard.back()[0]);
  }
}
void throw_text(work&, std::uint64_t) {
  throw std::runtime_error("the workload gave up");
}

job make_job(kernel run) {
  job what;
  what.run = run;
  what.outer_elements = 7;
  what.leaves_per_run = 10;
  what.leaves = 1000;
  what.timeout_seconds = 20;
  return what;
}

outcome run_clean(const job& what) {
  return zygote(heap_state::clean).run(what, nullptr);
}

TEST(Zygote, BringsBackAMeasurement) {
  const outcome result = run_clean(make_job(count_up));
  ASSERT_TRUE(result.ok()) << result.error.data();
  EXPECT_EQ(result.measured.checksum, 7U);  // of one run
  EXPECT_GE(result.measured.runs, 100U);    // leaves / leaves_per_run
  EXPECT_GT(result.measured.seconds, 0);
  EXPECT_GT(result.measured.setup_seconds, 0);
  EXPECT_GT(result.measured.rss_bytes, 0U);
}

TEST(Zygote, ShortCellsAreRepeatedForTheMinimumTimeAndScaledBack) {
  job what = make_job(find_kernel(1, *find_strategy("AS1"), global_peer, mode::fair));
  what.outer_elements = what.leaves_per_run = what.leaves = 64;
  what.min_seconds = 0.01;
  const outcome result = run_clean(what);
  ASSERT_TRUE(result.ok()) << result.error.data();
  EXPECT_GT(result.measured.runs, 10U);       // 64 ints do not last for 10 ms
  EXPECT_LT(result.measured.seconds, 0.001);  // for one run's leaves
}

TEST(Zygote, NumberOfRunsIsTakenWhenItIsGiven) {
  job what = make_job(count_up);
  what.runs = 17;
  EXPECT_EQ(run_clean(what).measured.runs, 17U);
}

TEST(Zygote, CrashIsAnErrorThatNamesTheSignal) {
  const outcome result = run_clean(make_job(crash));
  EXPECT_THAT(result.error.data(), HasSubstr("killed by signal 11"));
}

TEST(Zygote, ExitIsAnErrorThatNamesTheStatus) {
  EXPECT_STREQ(run_clean(make_job(leave)).error.data(), "exited with status 3");
}

TEST(Zygote, TimeoutEndsTheChild) {
  job what = make_job(hang);
  what.timeout_seconds = 0.2;
  EXPECT_STREQ(run_clean(what).error.data(), "timed out after 0.2 s");
}

TEST(Zygote, ExceptionIsAnErrorWithItsText) {
  EXPECT_STREQ(run_clean(make_job(throw_text)).error.data(), "the workload gave up");
}

TEST(Zygote, MemoryLimitMakesOutOfMemoryAnError) {
  if (sanitized) GTEST_SKIP();
  job what = make_job(exhaust);
  what.memory_limit = 512 << 20;
  EXPECT_STREQ(run_clean(what).error.data(), "out of memory");
}

TEST(Zygote, GoesOnAfterFailures) {
  zygote ready(heap_state::clean);
  EXPECT_FALSE(ready.run(make_job(crash), nullptr).ok());
  EXPECT_TRUE(ready.run(make_job(count_up), nullptr).ok());
  EXPECT_FALSE(ready.run(make_job(leave), nullptr).ok());
  EXPECT_TRUE(ready.run(make_job(count_up), nullptr).ok());
}

TEST(Zygote, AgedHeapIsInheritedByEveryChild) {
  zygote aged(heap_state::aged);
  zygote clean(heap_state::clean);
  const auto old_heap = aged.run(make_job(count_up), nullptr);
  const auto new_heap = clean.run(make_job(count_up), nullptr);
  ASSERT_TRUE(old_heap.ok() && new_heap.ok());
  EXPECT_GT(old_heap.measured.base_rss_bytes, new_heap.measured.base_rss_bytes + (20 << 20));
}

TEST(Zygote, InterruptGivesUpTheWaitAtOnce) {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
  zygote ready(heap_state::clean);
  const pthread_t self = pthread_self();
  std::jthread alarm([self] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    pthread_kill(self, SIGUSR1);
  });
  const auto start = std::chrono::steady_clock::now();
  const outcome result = ready.run(make_job(hang), [] { return true; });
  EXPECT_FALSE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace mallard::lab
