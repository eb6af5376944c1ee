// Measuring in processes of their own: what goes wrong there must not go wrong here.
#include "lab/measuring/zygote.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "lab/kernels/container_run.hpp"
#include "lab/measuring/contender.hpp"
#include "lab/measuring/strategies.hpp"
#include "support/instrumented.hpp"

namespace mallard::lab {
namespace {

using testing::HasSubstr;

void count_up(container_work& job, std::uint64_t runs) {
  for (std::uint64_t i = 0; i < runs; ++i) job.checksum += job.outer_elements;
  usleep(100);
}
void crash(container_work&, std::uint64_t) {
  std::signal(SIGSEGV, SIG_DFL);  // AddressSanitizer has a handler of its own
  std::raise(SIGSEGV);
}
void leave(container_work&, std::uint64_t) {
  _exit(3);
}
void hang(container_work&, std::uint64_t) {
  sleep(60);
}
void exhaust(container_work& job, std::uint64_t) {
  std::vector<std::vector<char>> hoard;
  while (true) {
    hoard.emplace_back(16 << 20, 'x');
    job.checksum += static_cast<std::uint64_t>(hoard.back()[0]);
  }
}
void throw_text(container_work&, std::uint64_t) {
  throw std::runtime_error("the workload gave up");
}

container_run make_run(container_kernel run) {
  container_run what;
  what.run = run;
  what.outer_elements = 7;
  what.leaves_per_run = 10;
  what.leaves = 1000;
  return what;
}

task make_job(const container_run& what) {
  task made;
  made.run = [](const void* bytes, const circumstances& around, readings& taken) {
    build_and_drop(*static_cast<const container_run*>(bytes), around, taken);
  };
  made.work = bytes_of(what);
  made.prepares_itself = true;
  return made;
}

task make_job(container_kernel run) {
  return make_job(make_run(run));
}

measuring_limits usual_limits() {
  measuring_limits limits;
  limits.timeout_seconds = 20;
  return limits;
}

outcome run_clean(const task& what, const measuring_limits& limits = usual_limits()) {
  return zygote(heap_state::clean).run(what, limits, nullptr);
}

TEST(zygote, brings_back_a_measurement) {
  const outcome result = run_clean(make_job(count_up));
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(result.checksum, 7U);            // of one run
  EXPECT_GE(result.value_of("runs"), 100U);  // leaves / leaves_per_run
  EXPECT_EQ(result.value_of("runs"), static_cast<double>(result.hint));
  EXPECT_GT(result.value_of("time"), 0);
  EXPECT_GT(result.value_of("setup"), 0);
  EXPECT_GT(result.value_of("rss"), 0U);
}

TEST(zygote, short_cells_are_repeated_for_the_minimum_time_and_scaled_back) {
  container_run what =
      make_run(find_container_kernel(1, *find_strategy("AS1"), global_peer, fairness::fair));
  what.outer_elements = what.leaves_per_run = what.leaves = 64;
  what.min_seconds = 0.01;
  // 64 ints do not last for 10 ms. If the process was not run while it warmed up, they seem to:
  // again.
  outcome result;
  for (int tries = 0; tries < 50 && (tries == 0 || result.value_of("runs") <= 10); ++tries) {
    result = run_clean(make_job(what));
    ASSERT_TRUE(result.ok()) << result.error;
  }
  EXPECT_GT(result.value_of("runs"), 10U);
  // The time is that of one leaf: all of them took less than the process was allowed to take.
  EXPECT_LT(result.value_of("time") * 64 * result.value_of("runs"), usual_limits().timeout_seconds);
}

TEST(zygote, number_of_runs_is_taken_when_it_is_given) {
  measuring_limits limits = usual_limits();
  limits.hint = 17;
  EXPECT_EQ(run_clean(make_job(count_up), limits).value_of("runs"), 17U);
}

TEST(zygote, crash_is_an_error_that_names_the_signal) {
  const outcome result = run_clean(make_job(crash));
  EXPECT_THAT(result.error, HasSubstr("killed by signal 11"));
}

TEST(zygote, exit_is_an_error_that_names_the_status) {
  EXPECT_EQ(run_clean(make_job(leave)).error, "ended with status 3");
}

TEST(zygote, timeout_ends_the_child) {
  measuring_limits limits = usual_limits();
  limits.timeout_seconds = 0.2;
  EXPECT_EQ(run_clean(make_job(hang), limits).error, "timed out after 0.2 s");
}

TEST(zygote, exception_is_an_error_with_its_text) {
  EXPECT_EQ(run_clean(make_job(throw_text)).error, "the workload gave up");
}

TEST(zygote, memory_limit_makes_out_of_memory_an_error) {
  if (mallard_test::instrumented) GTEST_SKIP();
  measuring_limits limits = usual_limits();
  limits.memory_limit = 512 << 20;
  EXPECT_EQ(run_clean(make_job(exhaust), limits).error, "out of memory");
}

TEST(zygote, goes_on_after_failures) {
  zygote ready(heap_state::clean);
  EXPECT_FALSE(ready.run(make_job(crash), usual_limits(), nullptr).ok());
  EXPECT_TRUE(ready.run(make_job(count_up), usual_limits(), nullptr).ok());
  EXPECT_FALSE(ready.run(make_job(leave), usual_limits(), nullptr).ok());
  EXPECT_TRUE(ready.run(make_job(count_up), usual_limits(), nullptr).ok());
}

TEST(zygote, aged_heap_is_inherited_by_every_child) {
  zygote aged(heap_state::aged);
  zygote clean(heap_state::clean);
  const auto old_heap = aged.run(make_job(count_up), usual_limits(), nullptr);
  const auto new_heap = clean.run(make_job(count_up), usual_limits(), nullptr);
  ASSERT_TRUE(old_heap.ok() && new_heap.ok());
  EXPECT_GT(old_heap.value_of("base_rss"), new_heap.value_of("base_rss") + (20 << 20));
}

TEST(zygote, interrupt_gives_up_the_wait_at_once) {
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
  const outcome result = ready.run(make_job(hang), usual_limits(), [] { return true; });
  EXPECT_FALSE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace mallard::lab
