// Programs that run already are recorded from some moment to another, and do not notice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "profile/attach/running_process.hpp"
#include "profile/record/recording.hpp"
#include "profile/trace/symbolizer.hpp"
#include "profile/trace/trace_reader.hpp"
#include "support/scratch_path.hpp"

namespace {

using namespace mallard::profile;
namespace fs = std::filesystem;

// Runs until it is told to end.
class running_program {
 public:
  explicit running_program(const std::vector<std::string>& words) {
    int ends[2] = {};
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      std::vector<char*> all;
      for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
      all.push_back(nullptr);
      execvp(all[0], all.data());
      _exit(127);
    }
    close(ends[1]);
    char ready[6];
    EXPECT_EQ(read(ends[0], ready, sizeof ready), 6);
    close(ends[0]);
  }
  ~running_program() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  running_program(const running_program&) = delete;
  running_program& operator=(const running_program&) = delete;

  pid_t pid() const { return pid_; }
  // Until it has executed a program of that name.
  void wait_for(const fs::path& name) const {
    const fs::path executable = "/proc/" + std::to_string(pid_) + "/exe";
    while (fs::read_symlink(executable).filename() != name) usleep(1'000);
  }
  bool goes_on() const {
    usleep(20'000);
    return waitpid(pid_, nullptr, WNOHANG) == 0;
  }
  // 0: nothing has disturbed it.
  int end() {
    kill(pid_, SIGTERM);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

struct found {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t frees_of_before = 0;
  std::set<std::uint32_t> threads;
  std::set<std::uint64_t> sizes;
  std::uint64_t first = UINT64_MAX;  // ns
  std::uint64_t last = 0;
};

found look_at(const std::string& file) {
  trace_reader trace(file);
  found out;
  std::set<std::uint64_t> live;
  auto events = trace.events();
  for (recorded one; events.next(one);) {
    if (one.sample) continue;
    out.threads.insert(one.thread);
    out.first = std::min(out.first, one.what.time);
    out.last = std::max(out.last, one.what.time);
    if (one.what.kind == event_kind::allocate) {
      ++out.allocations;
      live.insert(one.what.address);
      out.sizes.insert(one.what.size);
    } else if (one.what.kind == event_kind::reallocate) {
      live.erase(one.what.old_address);
      live.insert(one.what.address);
    } else if (one.what.kind == event_kind::free) {
      ++out.frees;
      if (live.erase(one.what.address) == 0) ++out.frees_of_before;
    }
  }
  EXPECT_TRUE(trace.problems().empty());
  return out;
}

class attaching : public testing::Test {
 protected:
  void SetUp() override {
    options.library = MALLARD_RECORD_FILE;
    options.output = (folder_ / "out.trace").string();
    options.session.cpu_period_us = 1000;
  }

  record_summary attach(pid_t pid, double seconds) {
    options.pid = pid;
    options.longest = seconds;
    return record(options, {});
  }
  // The recorder is killed when the trace has so many bytes, and the program goes on for a second.
  void attach_until_killed(const running_program& program, std::uintmax_t bytes) {
    const pid_t recorder = fork();
    if (recorder == 0) {
      attach(program.pid(), 100);
      _exit(0);
    }
    while (!fs::exists(options.output) || fs::file_size(options.output) < bytes) usleep(10'000);
    kill(recorder, SIGKILL);
    waitpid(recorder, nullptr, 0);
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(program.goes_on());
  }
  // The one line that says why not.
  std::string refusal(pid_t pid) {
    try {
      attach(pid, 0.1);
    } catch (const std::runtime_error& problem) {
      EXPECT_EQ(std::string(problem.what()).find('\n'), std::string::npos);
      EXPECT_FALSE(fs::exists(options.output));
      return problem.what();
    }
    return "nothing was refused";
  }

  const mallard::scratch_folder folder_;
  record_options options;
};

TEST_F(attaching, several_threads_under_load_are_recorded_and_go_on) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  const record_summary done = attach(program.pid(), 0.5);
  EXPECT_EQ(done.not_let_be, "");
  ASSERT_EQ(done.processes.size(), 1u);
  const found all = look_at(options.output);
  EXPECT_EQ(all.threads.size(), 4u);
  EXPECT_GT(all.allocations, 2000u);
  EXPECT_TRUE(program.goes_on());
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, blocks_from_before_are_known_as_such_when_they_are_freed) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  attach(program.pid(), 0.2);
  const found all = look_at(options.output);
  EXPECT_GT(all.frees_of_before, 0u);
  EXPECT_LE(all.frees_of_before, 4u * 260);
}

TEST_F(attaching, threads_that_never_wait_are_recorded) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "spins"});
  attach(program.pid(), 0.1);
  EXPECT_TRUE(look_at(options.output).sizes.contains(48));
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, leaves_errno_as_it_was) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "spins_alone"});
  attach(program.pid(), 0.2);
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, a_server_that_waits_is_recorded_and_its_wait_is_not_interrupted) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "serves"});
  attach(program.pid(), 0.5);
  EXPECT_TRUE(look_at(options.output).sizes.contains(77));
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, twenty_times_leaves_the_program_as_it_was) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  options.most_events = 1000;
  for (int i = 0; i < 20; ++i) {
    options.output = (folder_ / (std::to_string(i) + ".trace")).string();
    const record_summary done = attach(program.pid(), 0.2);
    EXPECT_EQ(done.not_let_be, "");
    EXPECT_GT(look_at(options.output).allocations, 0u) << i;
    ASSERT_TRUE(program.goes_on()) << i;
  }
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, ends_with_the_last_event_that_is_wanted) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  options.most_events = 1000;
  const record_summary done = attach(program.pid(), 0);  // by nothing else
  EXPECT_GE(done.processes.front().events, 1000u);
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, in_the_middle_of_a_sleep_leaves_the_program_as_it_was) {
  running_program program({"sh", "-c", "echo ready; exec sleep 60"});
  program.wait_for("sleep");
  usleep(50'000);
  EXPECT_EQ(attach(program.pid(), 0.1).not_let_be, "");
  EXPECT_TRUE(program.goes_on());
}

TEST_F(attaching, ends_when_the_process_executes_another_program) {
  running_program program({"sh", "-c", "echo ready; sleep 0.5; exec sleep 60"});
  const record_summary done = attach(program.pid(), 50);
  EXPECT_EQ(done.not_let_be, "");
  EXPECT_LT(done.seconds, 40);
  EXPECT_TRUE(program.goes_on());
}

#if defined(MALLARD_MALLOC_FILE)
TEST_F(attaching, return_addresses_that_a_malloc_left_on_the_stack_are_no_frames_of_it) {
  running_program program(
      {"env", "LD_PRELOAD=" MALLARD_MALLOC_FILE, MALLARD_ATTACHED_PROGRAM, "sleeps_deep"});
  usleep(50'000);
  EXPECT_EQ(attach(program.pid(), 0.1).not_let_be, "");
  EXPECT_TRUE(program.goes_on());
  EXPECT_EQ(program.end(), 0);
}
#endif

TEST_F(attaching, a_search_for_a_place_that_takes_long_is_told_once) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "locks"});
  options.pid = program.pid();
  options.longest = 0.1;
  int told = 0;
  pid_t ends = 0;  // the program, a second later
  record_hooks hooks;
  hooks.waits_long = [&] {
    if (++told > 1 || (ends = fork()) != 0) return;
    usleep(1'000'000);
    kill(program.pid(), SIGKILL);
    _exit(0);
  };
  EXPECT_THROW(record(options, hooks), std::runtime_error);
  EXPECT_EQ(told, 1);
  waitpid(ends, nullptr, 0);
}

TEST_F(attaching, its_seconds_begin_when_the_program_has_the_recorder) {
  const std::string file = (folder_ / "lock").string();
  const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  running_program program({MALLARD_ATTACHED_PROGRAM, "works_after_lock", file});
  options.pid = program.pid();
  options.longest = 0.2;
  record_hooks hooks;
  hooks.waits_long = [&] { close(lock); };
  record(options, hooks);
  const found seen = look_at(options.output);
  EXPECT_GT(seen.last - seen.first, 100'000'000u);
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, the_program_goes_on_when_the_recorder_is_killed_and_can_be_recorded_again) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  attach_until_killed(program, 20'000);
  options.output = (folder_ / "again.trace").string();
  attach(program.pid(), 0.3);
  EXPECT_GT(look_at(options.output).allocations, 0u);
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, errno_stays_as_it_was_when_the_recorder_is_killed) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "spins_alone"});
  attach_until_killed(program, 2'000);
  EXPECT_EQ(program.end(), 3);  // it keeps the hooks, as nobody could take them out
}

TEST_F(attaching, modules_that_are_loaded_later_are_recorded_too) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "loads", MALLARD_FIRST_LIBRARY});
  const pid_t asks = fork();
  if (asks == 0) {
    sleep(1);
    kill(program.pid(), SIGUSR1);
    _exit(0);
  }
  attach(program.pid(), 3);
  waitpid(asks, nullptr, 0);
  const found all = look_at(options.output);
  EXPECT_TRUE(all.sizes.contains(88));
  EXPECT_TRUE(all.sizes.contains(99));
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, a_program_that_ends_meanwhile_has_a_whole_trace) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  const pid_t ends = fork();
  if (ends == 0) {
    usleep(500'000);
    kill(program.pid(), SIGTERM);
    _exit(0);
  }
  attach(program.pid(), 100);
  waitpid(ends, nullptr, 0);
  EXPECT_GT(look_at(options.output).allocations, 0u);
}

// Bytes of addresses that memory of recordings takes in the process.
std::uint64_t addresses_of_recordings(pid_t pid) {
  std::uint64_t out = 0;
  std::ifstream in("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(in, line);) {
    if (line.find("memfd:mallard-record") == line.npos) continue;
    std::size_t dash = 0;
    const std::uint64_t start = std::stoull(line, &dash, 16);
    out += std::stoull(line.substr(dash + 1), nullptr, 16) - start;
  }
  return out;
}

TEST_F(attaching, leaves_the_addresses_of_few_threads_alone) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  for (int i = 0; i < 3; ++i) {
    options.output = (folder_ / (std::to_string(i) + ".trace")).string();
    attach(program.pid(), 0.2);
    EXPECT_LT(addresses_of_recordings(program.pid()), 20'000'000u * static_cast<unsigned>(i + 1));
    ASSERT_TRUE(program.goes_on()) << i;
  }
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, programs_that_it_starts_are_named) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "starts"});
  const record_summary done = attach(program.pid(), 0.5);
  std::set<std::string> names;
  for (const program_check& one : done.not_followed) {
    EXPECT_EQ(one.what, obstacle::not_told);
    names.insert(one.file);
  }
  EXPECT_EQ(names, (std::set<std::string>{"/bin/false", "/bin/true", "/usr/bin/printenv",
                                          "/usr/bin/test"}));
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, is_turned_on_and_off_by_the_processs_number) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  EXPECT_THROW(set_recording(program.pid(), mallard::recorder::recording::paused),
               std::runtime_error);
  options.paused = true;
  const pid_t asks = fork();
  if (asks == 0) {
    for (int tries = 0; tries < 100; ++tries) {
      usleep(20'000);
      try {
        set_recording(program.pid(), mallard::recorder::recording::on);
        _exit(0);
      } catch (const std::runtime_error&) {
      }
    }
    _exit(1);
  }
  attach(program.pid(), 0.6);
  int status = -1;
  waitpid(asks, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_GT(look_at(options.output).allocations, 0u);
  EXPECT_EQ(program.end(), 0);
}

// At any moment of attaching: there is a trace, or a line that says why there is none.
TEST_F(attaching, a_program_that_ends_at_that_moment_is_a_whole_trace_or_a_line) {
  for (unsigned after = 0; after < 30'000; after += 2'500) {
    running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
    const pid_t ends = fork();
    if (ends == 0) {
      usleep(after);
      kill(program.pid(), SIGKILL);
      _exit(0);
    }
    try {
      attach(program.pid(), 5);
      look_at(options.output);
      fs::remove(options.output);
    } catch (const std::runtime_error& problem) {
      EXPECT_EQ(std::string(problem.what()).find('\n'), std::string::npos);
      EXPECT_FALSE(fs::exists(options.output)) << problem.what();
    }
    waitpid(ends, nullptr, 0);
  }
}

TEST(way_round_ptrace_scope, says_who_may_attach_and_what_to_do) {
  EXPECT_EQ(way_round_ptrace_scope(0), "");
  EXPECT_NE(way_round_ptrace_scope(1).find("sudo"), std::string::npos);
  EXPECT_NE(way_round_ptrace_scope(2).find("sudo"), std::string::npos);
  EXPECT_EQ(way_round_ptrace_scope(3).find("sudo"), std::string::npos);
  EXPECT_NE(way_round_ptrace_scope(3).find("start the program with mallard record"),
            std::string::npos);
}

TEST_F(attaching, a_program_that_reads_from_a_named_pipe_is_recorded) {
  const std::string pipe = (folder_ / "a pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int writer = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  running_program program({"sh", "-c", "echo ready; exec cat < '" + pipe + "'"});
  program.wait_for("cat");
  EXPECT_NO_THROW(attach(program.pid(), 0.1));
  EXPECT_TRUE(program.goes_on());
  close(writer);
}

TEST_F(attaching, a_process_that_is_stopped_is_refused_at_once_and_stays_so) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "serves"});
  kill(program.pid(), SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(program.pid(), &status, WUNTRACED), program.pid());
  const auto began = std::chrono::steady_clock::now();
  EXPECT_NE(refusal(program.pid()).find("is stopped"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  kill(program.pid(), SIGCONT);
  EXPECT_EQ(program.end(), 0);
}

TEST_F(attaching, what_cannot_be_recorded_is_refused_in_one_line) {
  EXPECT_NE(refusal(getpid()).find("is this command itself"), std::string::npos);
  EXPECT_NE(refusal(2'000'000'000).find("does not exist"), std::string::npos);
  {
    running_program program({"sh", "-c", "echo ready; exec " MALLARD_STATIC_PROGRAM " wait"});
    program.wait_for(fs::path(MALLARD_STATIC_PROGRAM).filename());
    EXPECT_NE(refusal(program.pid()).find("linked statically"), std::string::npos);
  }
  {
    running_program program({"sh", "-c", "echo ready; exec " MALLARD_OWN_MALLOC_PROGRAM " wait"});
    program.wait_for(fs::path(MALLARD_OWN_MALLOC_PROGRAM).filename());
    EXPECT_NE(refusal(program.pid()).find("contains its own malloc"), std::string::npos);
  }
  {
    running_program program({"unshare", "-Urm", "sh", "-c", "echo ready; exec sleep 1000"});
    if (!program.goes_on()) GTEST_SKIP() << "no namespaces can be had here";
    EXPECT_NE(refusal(program.pid()).find("namespaces"), std::string::npos);
  }
  running_program program({MALLARD_ATTACHED_PROGRAM, "serves"});
  ASSERT_EQ(ptrace(PTRACE_SEIZE, program.pid(), nullptr, nullptr), 0);
  EXPECT_NE(refusal(program.pid()).find("is traced by process"), std::string::npos);
}

TEST_F(attaching, a_process_that_is_recorded_already_is_refused) {
  running_program program({MALLARD_ATTACHED_PROGRAM, "threads"});
  const pid_t recorder = fork();
  if (recorder == 0) {
    options.output = (folder_ / "first.trace").string();
    attach(program.pid(), 100);
    _exit(0);
  }
  const fs::path first = folder_ / "first.trace";
  while (!fs::exists(first) || fs::file_size(first) < 20'000) usleep(10'000);
  EXPECT_NE(refusal(program.pid()).find("is being recorded already"), std::string::npos);
  kill(recorder, SIGKILL);
  waitpid(recorder, nullptr, 0);
  EXPECT_EQ(program.end(), 3);  // whose hooks are there still
}

}  // namespace
