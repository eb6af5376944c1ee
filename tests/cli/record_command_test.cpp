// mallard record and the readers of traces, as a user calls them.

#include <algorithm>
#include <csignal>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command_fixture.hpp"
#include "profile/trace/trace_reader.hpp"

namespace {

using namespace mallard;
using testing::HasSubstr;
using testing::Not;

class record_command_test : public command_test {};

TEST_F(record_command_test, what_cannot_be_started_is_refused_and_leaves_no_trace) {
  write("text", "no program");
  const auto record = [](const std::string& word) { return words{"record", "--", word}; };
  expect_refused(record("./nothing"), 2, "./nothing: no such program");
  expect_refused(record("./text"), 2, "./text: not an executable file");
  expect_refused(record("/"), 2, "/: not an executable file");
  expect_refused({"record"}, 2, "record takes -- and a command, or --pid");
  expect_refused({"record", "--"}, 2, "record takes -- and a command, or --pid");
  write("script", "#!/no/such/interpreter\n");
  fs::permissions(file("script"), fs::perms::owner_all);
  expect_refused(record("./script"), 2, "/no/such/interpreter: no such program");
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_NE(entry.path().extension(), ".trace") << entry.path();
  }
}

TEST_F(record_command_test, under_every_command_the_program_gets_its_words_as_they_were) {
  write("b", "peak <= 1 GiB\n");
  const words program{"sh", "-c", "printf '<%s>' \"$@\" >>words", "sh"};
  const words told{"[1,2]", "[x]", "[]", "", "a\nb", "\xff", "--", "-q"};
  const std::string wanted = "<[1,2]><[x]><[]><><a\nb><\xff><--><-q>";
  for (const words& command :
       {words{"record", "-q", "--"}, words{"record", "-q", "--force"},
        words{"check", "--budget", "b", "--"}, words{"live", "--"},
        words{"whatif", "--repetitions", "1", "--route", "size:1-=heap", "--"},
        words{"advise", "--once", "--"}}) {
    fs::remove(file("words"));
    const ended done = run(command + program + told);
    EXPECT_EQ(done.status, 0) << command[0] << done.err;
    std::string got = read_file(file("words"));  // of each run
    do {
      EXPECT_EQ(got.substr(0, wanted.size()), wanted) << command[0];
      got.erase(0, wanted.size());
    } while (!got.empty());
  }
}

TEST_F(record_command_test, options_that_mean_nothing_are_refused) {
  const auto with = [](const words& options) { return words{"record"} + options + words{"true"}; };
  expect_refused(with({"--delay", "-1"}), 2, "--delay");
  expect_refused(with({"--delay", "nan"}), 2, "--delay");
  expect_refused(with({"--duration", "-1"}), 2, "--duration");
  expect_refused(with({"--depth", "0"}), 2, "--depth");
  expect_refused(with({"--paused", "--delay", "1"}), 2, "--delay");
  expect_refused(with({"--paused", "--duration", "1"}), 2, "--duration");
  expect_refused(with({"-o", "/dev/null"}), 2, "/dev/null: a trace has to be a regular file");
  EXPECT_FALSE(fs::exists(file("true")));
}

TEST_F(record_command_test, of_many_processes_those_that_did_most_are_told) {
  const ended done = run({"record", "--no-symbols", "-o", "a.trace", "--", "sh", "-c",
                          "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do expr "
                          "1 + 1; done; sort /etc/passwd"});
  std::vector<int> events;
  std::istringstream lines(done.err);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(" events of ");
    if (at != line.npos) events.push_back(std::stoi(line.substr(line.rfind(' ', at - 1))));
  }
  EXPECT_EQ(events.size(), 20U);
  const std::string next = "mallard report ";
  const std::string main = done.err.substr(done.err.rfind(next) + next.size());
  EXPECT_THAT(done.err, testing::StartsWith("mallard: " + main.substr(0, main.size() - 1) + ": "));
  EXPECT_TRUE(std::is_sorted(events.rbegin(), events.rend())) << done.err;
  EXPECT_THAT(done.err, HasSubstr("the traces of 3 more processes\n"));
}

TEST_F(record_command_test, a_program_that_never_ends_is_ended_after_its_time) {
  const ended done = run({"record", "-o", "a.trace", "--for", "0.3", "--", "sleep", "100"});
  EXPECT_EQ(done.status, 128 + SIGTERM);
  EXPECT_EQ(run({"dims", "a.trace"}).err, "");
  expect_refused({"record", "--for", "-1", "--", "true"}, 2, "--for");
}

TEST_F(record_command_test, a_program_that_is_ended_requested_no_memory_as_far_as_was_seen) {
  const ended done = run({"record", "-o", "a.trace", "--for", "0.3", "--", IDLE_PROGRAM, "wait"});
  EXPECT_THAT(done.err, HasSubstr("the program requested no memory while it was recorded\n"));
  const ended late = run({"record", "-o", "b.trace", "--paused", "--", "sort", "/dev/null"});
  EXPECT_THAT(late.err, HasSubstr("the program requested no memory while it was recorded\n"));
}

TEST_F(record_command_test, a_process_to_attach_to_is_refused_in_one_line_where_there_is_none) {
  expect_refused({"record", "--pid", "2000000000"}, 1, "process 2000000000 does not exist");
  expect_refused({"record", "--pid", "-5"}, 2, "--pid");
  expect_refused({"record", "--pid", "abc"}, 2, "--pid takes a number, not 'abc'");
  expect_refused({"record", "--pid", "1", "--", "true"}, 2, "a command or --pid");
  expect_refused({"advise", "--pid", "2000000000"}, 1, "process 2000000000 does not exist");
  expect_refused({"advise", "--pid", "0"}, 2, "--pid takes the number of a process");
}

TEST_F(record_command_test,
       without_standard_streams_the_exit_status_is_the_programs_and_the_trace_is_whole) {
  const ended closed = shell(
      "$MALLARD record -o a.trace -- sh -c 'test ! -e /proc/self/fd/2 && exit 5' <&- >&- 2>&-");
  EXPECT_EQ(closed.status, 5);
  EXPECT_EQ(run({"dims", "a.trace"}).err, "");
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  EXPECT_EQ(shell("$MALLARD record -o b.trace -- sh -c 'exit 6' 2>/dev/full").status, 6);
  EXPECT_EQ(shell("$MALLARD record -- ./nothing 2>/dev/full").status, 2);
}

TEST_F(record_command_test, where_files_may_not_be_big_is_said_in_one_line) {
  const ended limited = shell("ulimit -f 2; $MALLARD record -o a.trace -- true");
  EXPECT_EQ(limited.status, 1);
  EXPECT_THAT(limited.err, HasSubstr("and ulimit -f allows 1 KiB: File too large\n"));
  EXPECT_EQ(std::count(limited.err.begin(), limited.err.end(), '\n'), 1) << limited.err;
}

TEST_F(record_command_test, a_limit_of_address_space_is_named_as_the_cause) {
  const ended limited = shell("ulimit -v 400000; $MALLARD record -o a.trace -- true");
  EXPECT_EQ(limited.status, 1);
  EXPECT_THAT(limited.err, HasSubstr("ulimit -v allows 390 MiB: Cannot allocate memory"));
}

TEST_F(record_command_test, a_trace_that_found_no_room_fails_and_says_so_even_if_quiet) {
  if (shell("mkdir d && mount -t tmpfs -o size=64k mallard d").status != 0) GTEST_SKIP();
  shell("head -c 1M /dev/zero >d/fill");
  const ended full = shell("$MALLARD record -o d/a.trace -- sort /etc/passwd >/dev/null");
  const ended quiet = shell("$MALLARD record -q -o d/b.trace -- sort /etc/passwd >/dev/null");
  EXPECT_EQ(shell("umount d").status, 0);
  for (const ended& one : {full, quiet}) {
    EXPECT_EQ(one.status, 1);
    EXPECT_THAT(one.err, HasSubstr("No space left on device"));
    EXPECT_EQ(one.err.find("mallard report"), std::string::npos);
  }
}

TEST_F(record_command_test, an_export_that_found_no_room_leaves_no_file) {
  shell("$MALLARD record -o a.trace -- bash -c 'for i in {1..9000}; do a[$i]=x$i; done'");
  if (shell("mkdir d && mount -t tmpfs -o size=64k mallard d").status != 0) GTEST_SKIP();
  for (const std::string format : {"csv", "sqlite"}) {
    const ended full = shell("$MALLARD export --to " + format + " a.trace -o d/out");
    EXPECT_EQ(full.status, 1) << format;
    EXPECT_THAT(full.err, HasSubstr("d/out: ")) << format;
    EXPECT_TRUE(fs::is_empty(file("d"))) << format;
  }
  shell("head -c 50000 /dev/zero > d/rest");
  const ended cut = shell("$MALLARD cut --from 1ns a.trace -o d/out");
  EXPECT_THAT(cut.err, HasSubstr("d/out: "));
  EXPECT_FALSE(fs::exists(file("d/out")));
  // The old file stays.
  for (const std::string format : {"csv", "sqlite", "collapsed"}) {
    shell("echo before > d/out && head -c 50000 /dev/zero > d/rest");
    EXPECT_EQ(shell("$MALLARD export --force --to " + format + " a.trace -o d/out").status, 1)
        << format;
    EXPECT_EQ(shell("cat d/out").out, "before\n") << format;
  }
  EXPECT_EQ(shell("umount d").status, 0);
}

// `timeout` tells its child and then the whole group; so do many that end a job.
TEST_F(record_command_test, a_signal_to_the_group_reaches_the_program_once) {
  write_script("script",
               "trap 'echo got' INT\nfor i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; done\n");
  for (const char* const recorder : {"", "\"$MALLARD\" record -q -o g.trace -- "}) {
    const ended done = shell(std::string("timeout -s INT 0.7 ") + recorder + "./script");
    EXPECT_EQ(done.out, "got\n") << recorder;
  }
}

TEST_F(record_command_test, signals_that_a_program_sends_to_its_group_do_not_end_the_recording) {
  const std::string signals = write_group_signaller();
  const ended done = in_group(signals, "$MALLARD record -o g.trace -- ./script");
  EXPECT_EQ(done.status, 5) << done.err;
  EXPECT_EQ(run({"dims", "g.trace"}).err, "");
}

TEST_F(record_command_test, an_interrupt_of_the_group_ends_the_recording_with_the_program) {
  write_script("script", "echo $$ >pid; kill -INT 0; while :; do sleep 0.05; done\n");
  EXPECT_EQ(in_group("INT", "$MALLARD record -q -o g.trace -- ./script").status, 130);
  EXPECT_FALSE(runs("pid"));
  EXPECT_EQ(run({"dims", "g.trace"}).err, "");
}

TEST_F(record_command_test, what_another_recorder_writes_is_refused_and_stays_whole) {
  write_script("script", ">begun; until [ -e refused ]; do sleep 0.01; done\n");
  const pid_t first = start({"record", "-q", "-o", "a.trace", "--", "./script"});
  while (!fs::exists(file("begun"))) usleep(1000);
  expect_refused({"record", "--force", "-o", "a.trace", "--", "touch", "started"}, 1,
                 "a.trace: another recording writes to it");
  EXPECT_FALSE(fs::exists(file("started")));
  write("refused", "");
  EXPECT_EQ(finish(first).status, 0);
  EXPECT_EQ(run({"dims", "a.trace"}).err, "");
}

TEST_F(record_command_test, a_trace_has_the_name_of_a_program_that_changed_its_title) {
  const ended result = shell(
      "$MALLARD record --no-cpu -q -- bash -c 'exec -a \"server at /run/socket\" sort /dev/null'");
  EXPECT_EQ(result.status, 0) << result.err;
  std::size_t of_server = 0;
  for (const auto& one : fs::directory_iterator(folder_.path())) {
    of_server += one.path().filename().string().starts_with("mallard.server.");
  }
  EXPECT_EQ(of_server, 1u);
}

// The daemon comes to its point when the program was waited for. It then becomes no other program,
// in which an interrupt would find neither of the two.
TEST_F(record_command_test, an_interrupt_ends_the_waiting_for_a_daemon) {
  ASSERT_EQ(shell("mkfifo nothing").status, 0);
  write_script("daemon",
               "while kill -0 $1; do sleep 0.01; done\necho $$ >writing && mv writing pid\n"
               "read -r line <nothing\n");
  write_script("script", "setsid ./daemon $$ >/dev/null 2>&1 &\nexit 3\n");
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove(file("pid"));
    const ended done =
        interrupt({"record", "--force", "--wait", "-o", "a.trace", "--", "./script"}, "pid", each);
    EXPECT_EQ(done.status, 3) << done.err;
    EXPECT_THAT(done.err, HasSubstr(" of the program ran on unrecorded\n"));
    EXPECT_TRUE(runs("pid"));
    shell("kill -KILL $(cat pid)");
  }
}

TEST_F(record_command_test, an_empty_name_is_no_file) {
  expect_refused({"record", "-o", "", "--", "true"}, 2, "--output: is empty");
}

TEST_F(record_command_test, the_next_command_can_be_typed_whatever_the_program_is_called) {
  const ended done = shell("$MALLARD record -o \"a'b <c.trace\" -- sh -c : 2>&1 | tail -n 1");
  ASSERT_EQ(done.out, "mallard report 'a'\\''b <c.trace'\n");
}

TEST_F(record_command_test, output_that_has_no_place_is_an_error) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  ASSERT_EQ(run({"record", "-o", "a.trace", "sh", "-c", ":"}).status, 0);
  for (const std::string command :
       {"dims a.trace", "dims --csv a.trace", "dims --json a.trace", "top a.trace",
        "top --json a.trace", "man", "completion bash", "--version", "--help"}) {
    const ended full = shell("$MALLARD " + command + " >/dev/full");
    EXPECT_EQ(full.status, 1) << command;
    EXPECT_EQ(full.err, "mallard: cannot write to standard output: No space left on device\n")
        << command;
    const ended closed = shell("$MALLARD " + command + " >&-");
    EXPECT_EQ(closed.status, 1) << command;
    EXPECT_EQ(closed.err, "mallard: cannot write to standard output: Bad file descriptor\n")
        << command;
  }
}

TEST_F(record_command_test, a_page_of_a_truncated_trace_says_so_on_the_terminal) {
  ASSERT_EQ(run({"record", "-o", "a.trace", "sh", "-c", ":"}).status, 0);
  fs::resize_file(file("a.trace"), fs::file_size(file("a.trace")) * 3 / 4);
  const ended done = run({"report", "a.trace"});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.err, HasSubstr("a.trace: the trace was not finished"));
}

TEST_F(record_command_test, resident_memory_is_sampled) {
  ASSERT_EQ(run({"record", "-q", "-o", "a.trace", "sleep", "0.15"}).status, 0);
  const profile::trace_reader trace(file("a.trace").string());
  const auto& samples = trace.facts().resident;
  ASSERT_GE(samples.size(), 2u);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_GE(samples[i].bytes, 4096u);
    if (i > 0) {
      EXPECT_GT(samples[i].time, samples[i - 1].time);
    }
  }
}

TEST_F(record_command_test, a_trace_is_replaced_only_by_one_with_events) {
  ASSERT_EQ(run({"record", "-q", "-o", "t", "--", "sh", "-c", ":"}).status, 0);
  const std::string before = read_file(file("t"));
  const ended none = run({"record", "--force", "--delay", "9", "-o", "t", "--", "sh", "-c", ":"});
  EXPECT_THAT(none.err, HasSubstr("mallard: t: left as it was\n"));
  EXPECT_EQ(read_file(file("t")), before);
  run({"record", "--force", "-o", "t", "--", "sh", "-c", ": more"});
  EXPECT_NE(read_file(file("t")), before);
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr("before-")));
  }
}

TEST_F(record_command_test, a_trace_that_the_program_spoils_is_no_success) {
  for (const char* const spoils : {": >t", "echo text >t"}) {
    const ended spoiled = run({"record", "--force", "-o", "t", "--", "sh", "-c", spoils});
    EXPECT_EQ(spoiled.status, 1) << spoils;
    EXPECT_THAT(spoiled.err, HasSubstr("incomplete: it was removed or overwritten meanwhile"));
    EXPECT_THAT(spoiled.err, Not(HasSubstr("mallard report")));
  }
}

TEST_F(record_command_test, a_signal_that_kills_the_program_is_named) {
  const ended killed = run({"record", "-o", "t", "--", "sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(killed.status, 128 + SIGSEGV);
  EXPECT_THAT(killed.err, HasSubstr("mallard: sh was killed by signal 11"));
}

TEST_F(record_command_test, where_a_trace_belongs_other_things_are_named) {
  expect_refused({"dims", "/bin/sh"}, 1,
                 "/bin/sh: a program, not a trace; a command to run comes after --");
  expect_refused({"advise", "/bin/sh"}, 1, "/bin/sh: a program, not a trace");
  expect_refused({"dims", "."}, 1, ".: a folder, not a trace");
  expect_refused({"check", "--budget", ".", "--", "true"}, 2, ".: a folder, not a budget");
}

TEST_F(record_command_test, control_characters_of_names_do_not_reach_the_terminal) {
  ASSERT_EQ(run({"record", "-o", "a.trace", "sh", "-c", ":", "a\033[2Jb\nc"}).status, 0);
  const ended done = run({"dims", "a.trace"});
  EXPECT_THAT(done.out, HasSubstr("a?[2Jb?c'\n"));
  EXPECT_THAT(done.out, Not(HasSubstr("\033")));
  EXPECT_THAT(done.out, HasSubstr("the whole program "));
  EXPECT_THAT(done.out, HasSubstr(" 1 thread;"));
}

TEST_F(record_command_test, the_dynamic_linker_as_the_program_is_no_static_program) {
  const ended result = shell(
      "\"$MALLARD\" record -o t -- $(ls /lib64/ld-linux-* /lib/ld-linux-* "
      "2>/dev/null | head -n 1) /bin/true");
  EXPECT_EQ(result.err.find("statically"), result.err.npos) << result.err;
}

TEST_F(record_command_test, standard_streams_stand_for_files_where_they_can) {
  ASSERT_EQ(run({"record", "-q", "-o", "a.trace", "sh", "-c", ":"}).status, 0);
  const ended read = shell("\"$MALLARD\" dims - < a.trace");
  EXPECT_EQ(read.status, 0);
  EXPECT_THAT(read.out, HasSubstr("the whole program "));
  const ended piped = shell("cat a.trace | \"$MALLARD\" dims -");
  EXPECT_EQ(piped.status, 1);
  EXPECT_THAT(piped.err, HasSubstr("none can come through a pipe"));
  const ended written = run({"export", "a.trace", "--to", "csv", "-o", "-"});
  EXPECT_EQ(written.status, 0);
  EXPECT_THAT(written.out, testing::StartsWith("address,bytes,"));
  EXPECT_THAT(written.out, Not(HasSubstr("blocks:")));
  EXPECT_FALSE(fs::is_regular_file(fs::symlink_status("/dev/stdout")));
  EXPECT_EQ(
      shell("(echo before; \"$MALLARD\" export a.trace --to csv -o - 2>/dev/null; echo behind) "
            ">all")
          .status,
      0);
  const std::string all = read_file(file("all"));
  EXPECT_THAT(all, testing::StartsWith("before\naddress,bytes,"));
  EXPECT_THAT(all, testing::EndsWith("\nbehind\n"));
  expect_refused({"export", "a.trace", "--to", "sqlite", "-o", "-"}, 2, "needs a file");
  expect_refused({"report", "a.trace", "-o", "-"}, 2, "needs a file");
  expect_refused({"cut", "a.trace", "-o", "-"}, 2, "needs a file");
  expect_refused({"diff", "a.trace", "a.trace", "-o", "-"}, 2, "needs a file");
  expect_refused({"check", "--budget", "a.trace", "--keep", "-", "--", "true"}, 2, "needs a file");
  expect_refused({"record", "-o", "-", "--", "true"}, 2, "needs a file");
  EXPECT_FALSE(fs::exists(file("-")));
}

TEST_F(record_command_test, a_dimension_that_is_not_there_is_explained) {
  ASSERT_EQ(run({"record", "-q", "--no-cpu", "-o", "a.trace", "sh", "-c", ":"}).status, 0);
  EXPECT_THAT(run({"dims", "a.trace"}).out, HasSubstr("D -: no sample of processor time"));
}

}  // namespace
