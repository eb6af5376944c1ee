// Counts of a program, seen from outside.
#include "watch/watched_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

#include "support/message_of.hpp"
#include "watch/rates.hpp"

namespace {

using namespace mallard::watch;
using testing::HasSubstr;

// Runs until it is told to end.
class counted {
 public:
  counted(const std::string& what, std::size_t count, const char* library = LIVE_LIBRARY) {
    std::array<int, 2> in{}, out{};
    if (pipe(in.data()) != 0 || pipe(out.data()) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      for (const int one : {in[0], in[1], out[0], out[1]}) close(one);
      if (library != nullptr) setenv("LD_PRELOAD", library, 1);
      execl(COUNTED_PROGRAM, COUNTED_PROGRAM, what.c_str(), std::to_string(count).c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    told_ = in[1];
    char byte = 0;
    while (read(out[0], &byte, 1) == 1 && byte != '\n') {
    }
    close(out[0]);
  }
  ~counted() { end(); }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

  void end() {
    if (pid_ <= 0) return;
    close(told_);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int told_ = -1;
};

reading read_of(const std::string& what, std::size_t count) {
  const counted program(what, count);
  return watched_process(program.pid()).read();
}

// The program's other blocks: its start, a thread.
counts less(const counts& all, const counts& without) {
  return {all.allocations - without.allocations, all.bytes - without.bytes,
          all.frees - without.frees};
}

double live_bytes_in(const std::string& function, const reading& of,
                     const watched_process& program) {
  site_names names;
  names.learn(of.sites, program.module_paths());
  for (const function_row& row : between({}, of, names).functions) {
    if (row.function.find(function) != row.function.npos) return row.live_bytes;
  }
  return -1;
}

constexpr std::size_t many = 100'000;

TEST(watched_process, counts_every_allocation_and_free) {
  const counts without = read_of("free", 0).all;
  const counts made = less(read_of("free", many).all, without);
  EXPECT_EQ(made.allocations, many + 1);  // and the list of blocks
  EXPECT_EQ(made.bytes, many * (100 + sizeof(void*)));
  EXPECT_EQ(made.frees, many);
}

TEST(watched_process, a_reallocation_is_an_allocation_and_a_free) {
  const counts without = read_of("grow", 0).all;
  const counts made = less(read_of("grow", 1000).all, without);
  EXPECT_EQ(made.allocations, 1000u + 1);  // and the list of blocks
  EXPECT_EQ(made.frees, 1000u);
}

TEST(watched_process, what_threads_did_is_kept_when_they_have_ended) {
  const counted program("thread", many);
  const reading now = watched_process(program.pid()).read();
  EXPECT_GE(now.all.allocations, many);
  EXPECT_EQ(now.threads.size(), 1u);
  EXPECT_EQ(now.threads.front().tid, static_cast<std::uint32_t>(program.pid()));
}

TEST(watched_process, live_bytes_of_a_function_are_estimated) {
  const counted program("keep", many);
  const watched_process seen(program.pid());
  // Some 500 samples: their number varies by less than a twentieth (one deviation: 2.6 %).
  EXPECT_NEAR(live_bytes_in("keep_some", seen.read(), seen), 100.0 * many, 20.0 * many);
}

TEST(watched_process, live_bytes_of_short_threads_are_estimated) {
  const counted program("keep_in_threads", many);
  const watched_process seen(program.pid());
  EXPECT_NEAR(live_bytes_in("keep_some", seen.read(), seen), 100.0 * many, 20.0 * many);
}

TEST(watched_process, what_another_thread_freed_is_not_live) {
  const counted program("pass", many);
  const watched_process seen(program.pid());
  EXPECT_EQ(live_bytes_in("keep_some", seen.read(), seen), 0);
}

TEST(watched_process, a_child_of_a_fork_is_not_counted_as_its_parent) {
  const reading now = read_of("fork", many);
  EXPECT_LT(now.all.allocations, many);
}

TEST(watched_process, another_program_in_the_same_process_is_counted_anew) {
  const counted program("exec", many);
  const watched_process seen(program.pid());
  EXPECT_TRUE(seen.is_there());
  EXPECT_LT(seen.read().all.allocations, many);
}

TEST(watched_process, counts_are_there_when_the_program_is_gone) {
  counted program("free", many);
  const watched_process seen(program.pid());
  program.end();
  EXPECT_FALSE(seen.is_there());
  EXPECT_GE(seen.read().all.allocations, many);
}

TEST(watched_process, rates_are_of_the_time_between_two_readings) {
  reading before, now;
  before.seconds = 1;
  before.all = {100, 1000, 50};
  now = before;
  now.when = before.when + std::chrono::seconds(2);
  now.seconds = 3;
  now.all = {300, 5000, 60};
  now.threads = {{7, "t", {200, 4000, 10}}};
  const rates found = between(before, now, {});
  EXPECT_DOUBLE_EQ(found.allocations, 100);
  EXPECT_DOUBLE_EQ(found.bytes, 2000);
  EXPECT_DOUBLE_EQ(found.frees, 5);
  EXPECT_DOUBLE_EQ(found.threads.front().allocations, 100);
}

std::string why_not(pid_t pid) {
  return mallard_test::message_of([&] { watched_process seen(pid); });
}

TEST(watched_process, says_why_there_is_nothing_to_see) {
  const counted program("keep", 1, nullptr);
  EXPECT_THAT(why_not(program.pid()), HasSubstr("does not count"));
  EXPECT_EQ(why_not(2'000'000'000), "there is no process 2000000000");
}

}  // namespace
