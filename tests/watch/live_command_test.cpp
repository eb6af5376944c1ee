// `mallard live` as a user calls it.
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ptrace.h>

#include <nlohmann/json.hpp>

#include "cli/command_fixture.hpp"

namespace {

using namespace mallard;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class live_command_test : public command_test {};

TEST_F(live_command_test, refuses_what_it_cannot_show_in_one_line) {
  expect_refused({"live"}, 2, "a process's number, or -- and a command");
  expect_refused({"live", "1x"}, 2, "'1x' is not a process number");
  expect_refused({"live", "1", "2"}, 2, "one process");
  expect_refused({"live", "2000000000"}, 1, "there is no process 2000000000");
  expect_refused({"live", "--pid", "2000000000"}, 1, "there is no process 2000000000");
  expect_refused({"live", "--interval", "0", "--", COUNTED_PROGRAM}, 2, "--interval");
  expect_refused({"live", "--duration", "-1", "--", COUNTED_PROGRAM}, 2, "--duration");
  expect_refused({"live", "--by", "size", "--", COUNTED_PROGRAM}, 2, "unknown value 'size'");
  expect_refused({"live", "--", "./nothing"}, 2, "./nothing: no such program");
  expect_refused({"live", "--", COUNTED_STATIC_PROGRAM}, 2, "is linked statically");
}

// The program works and knows of no library.
pid_t start_working() {
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execl(COUNTED_PROGRAM, COUNTED_PROGRAM, "work", static_cast<char*>(nullptr));
    _exit(127);
  }
  while (fs::read_symlink("/proc/" + std::to_string(child) + "/exe") != COUNTED_PROGRAM) {
    usleep(1000);
  }
  usleep(100'000);
  return child;
}

void wait_for_library(pid_t of, const std::string& name) {
  for (int i = 0; i < 2000; ++i) {
    const std::string maps = read_file("/proc/" + std::to_string(of) + "/maps");
    if (maps.find(name) != maps.npos) break;
    usleep(5000);
  }
  usleep(500'000);
}

TEST_F(live_command_test, a_process_is_recorded_or_looked_at_and_not_both_at_once) {
  const pid_t child = start_working();
  const std::string number = std::to_string(child);
  const pid_t live = start({"live", "--pid", number, "--duration", "60"});
  wait_for_library(child, "libmallard-live");
  expect_refused({"record", "--pid", number, "--for", "0.2", "-o", "a.trace"}, 1,
                 "is watched by `mallard live`");
  expect_refused({"advise", "--pid", number, "--for", "0.2"}, 1, "is watched by `mallard live`");
  kill(live, SIGINT);
  finish(live);
  const pid_t record = start({"record", "--pid", number, "--for", "60", "-o", "b.trace"});
  wait_for_library(child, "libmallard-record");
  expect_refused({"live", "--pid", number, "--duration", "0.2"}, 1, "is being recorded");
  kill(record, SIGINT);
  finish(record);
  EXPECT_EQ(run({"live", "--pid", number, "--duration", "0.2"}).status, 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(live_command_test, a_process_whose_watcher_was_killed_can_be_let_go) {
  const pid_t child = start_working();
  const std::string number = std::to_string(child);
  const pid_t live = start({"live", "--pid", number, "--duration", "60"});
  wait_for_library(child, "libmallard-live");
  kill(live, SIGKILL);
  finish(live);
  const words record = {"record", "--pid", number, "--for", "0.2", "-o", "a.trace"};
  expect_refused(record, 1,
                 "that was killed: `mallard live " + number + " --duration 1` releases it");
  EXPECT_EQ(run({"live", number, "--duration", "1"}).status, 0);
  const ended recorded = run(record);
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(live_command_test, attaches_to_a_process_that_was_started_without_the_library) {
  const pid_t child = start_working();
  for (int i = 0; i < 2; ++i) {
    const ended result =
        run({"live", "--pid", std::to_string(child), "--duration", "0.5", "--interval", "0.1"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(" allocations/s"));
    EXPECT_EQ(result.out.find("in all: 0 "), std::string::npos) << result.out;
    EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(live_command_test, a_process_that_goes_on_is_advised_from_so_many_seconds_of_it) {
  const pid_t child = start_working();
  const ended result =
      run({"advise", "--pid", std::to_string(child), "--for", "0.05", "--quick", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_FALSE(report["advice"].empty());
  for (const auto& one : report["advice"]) EXPECT_TRUE(one["tried"].is_null()) << one;
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(live_command_test, says_which_library_to_preload) {
  const ended result = run({"live", "--library"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, EndsWith("libmallard-live.so\n"));
}

TEST_F(live_command_test, without_a_terminal_prints_plain_lines_and_ends_as_the_program_does) {
  const ended result = run({"live", "--interval", "0.05", "--", COUNTED_PROGRAM, "status", "3"});
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("ready"));
  EXPECT_EQ(result.out.find('\033'), std::string::npos);
}

TEST_F(live_command_test, says_that_nothing_was_counted_and_what_killed_the_program) {
  // If env is seen before it runs the other, the view must have time to lose it.
  EXPECT_THAT(run({"live", "--", "env", "-i", "sleep", "1"}).err,
              HasSubstr("mallard: nothing was counted"));
  const ended killed = run({"live", "--", "sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(killed.status, 128 + SIGSEGV);
  EXPECT_THAT(killed.err, HasSubstr("mallard: the program was killed by signal 11"));
}

TEST_F(live_command_test, ends_with_the_program_however_long_the_interval_is) {
  write_script("script", "sleep 0.5\nexit 3\n");
  EXPECT_EQ(run({"live", "--interval", "100000", "--", "./script"}).status, 3);
}

TEST_F(live_command_test, an_interrupt_ends_it_with_the_status_of_one) {
  write_script("script", ": > started\nexec " COUNTED_PROGRAM " work\n");
  EXPECT_EQ(interrupt({"live", "--interval", "0.1", "--", "./script"}, "started").status, 130);
}

TEST_F(live_command_test, an_interrupt_also_ends_what_the_program_started) {
  write_program_below_a_script();
  for (const int each : {SIGINT, SIGTERM}) {
    fs::remove(file("pid"));
    EXPECT_EQ(interrupt({"live", "--", "./script"}, "pid", each).status, 130);
    EXPECT_FALSE(runs("pid"));
  }
}

TEST_F(live_command_test, signals_that_a_program_sends_to_its_group_do_not_end_it) {
  const std::string signals = write_group_signaller();
  EXPECT_EQ(in_group(signals, "$MALLARD live -- ./script").status, 5);
}

TEST_F(live_command_test, a_program_that_does_not_end_when_told_is_killed) {
  write_script("script", "trap '' TERM\necho $$ >pid\nwhile :; do sleep 0.05; done\n");
  EXPECT_EQ(run({"live", "--duration", "0.5", "--", "./script"}).status, 0);
  EXPECT_NE(kill(static_cast<pid_t>(std::stol(read_file(file("pid")))), 0), 0);
}

TEST_F(live_command_test, ends_after_so_long_and_ends_the_program_that_it_started) {
  const ended result = run({"live", "--interval", "0.2", "--duration", "2", "--output", "said.txt",
                            "--", COUNTED_PROGRAM, "work"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" allocations/s of "));
  EXPECT_THAT(result.out, HasSubstr("  function "));
  EXPECT_THAT(result.out, HasSubstr("come_and_go: "));
  EXPECT_THAT(result.out, HasSubstr("  thread "));
  EXPECT_THAT(result.out, HasSubstr("\nin all: "));
  EXPECT_TRUE(fs::exists(file("said.txt")));
}

TEST_F(live_command_test, a_program_with_little_address_space_is_not_started) {
  const ended result = shell("ulimit -v 200000; $MALLARD live -- sh -c ': >started'");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("too little address space to be watched"));
  EXPECT_THAT(result.err, HasSubstr("ulimit -v allows 195 MiB"));
  EXPECT_FALSE(fs::exists(file("started")));
}

// It stands before its first instruction, where no library is mapped yet.
TEST_F(live_command_test, a_program_that_has_just_begun_is_attached_to_when_it_has_its_libraries) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execl(COUNTED_PROGRAM, COUNTED_PROGRAM, "work", static_cast<char*>(nullptr));
    _exit(127);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  ASSERT_EQ(ptrace(PTRACE_DETACH, child, nullptr, SIGSTOP), 0);
  const pid_t live = start({"live", "--pid", std::to_string(child), "--duration", "0.2"});
  usleep(300'000);
  kill(child, SIGCONT);
  const ended result = finish(live);
  EXPECT_EQ(result.status, 0) << result.err;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// The text that a terminal gets until the command ends.
std::string read_all(int terminal) {
  std::string text;
  for (;;) {
    pollfd ready{terminal, POLLIN, 0};
    if (poll(&ready, 1, 20'000) <= 0) break;
    char some[4096];
    const ssize_t got = read(terminal, some, sizeof some);
    if (got <= 0) break;  // the other end is closed
    text.append(some, static_cast<std::size_t>(got));
    if (text.find("q quit") != text.npos && ::write(terminal, "q", 1) != 1) break;
  }
  return text;
}

TEST_F(live_command_test, on_a_terminal_shows_a_screen_until_q_is_pressed) {
  int terminal = -1;
  winsize size{.ws_row = 30, .ws_col = 90, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  ASSERT_GE(child, 0);
  if (child == 0) {
    execl(MALLARD_COMMAND, MALLARD_COMMAND, "live", "--interval", "0.1", "--", COUNTED_PROGRAM,
          "work", nullptr);
    _exit(127);
  }
  const std::string text = read_all(terminal);
  int status = -1;
  waitpid(child, &status, 0);
  close(terminal);
  EXPECT_EQ(status, 0) << text;
  EXPECT_THAT(text, StartsWith("\033[?1049h"));
  EXPECT_THAT(text, HasSubstr("come_and_go"));
  EXPECT_THAT(text, HasSubstr("counted_program"));
  EXPECT_THAT(text, HasSubstr("\033[?1049l"));  // the terminal as it was
  EXPECT_THAT(text, HasSubstr("in all: "));
}

}  // namespace
