// `mallard advise` as a user calls it.
#include <nlohmann/json.hpp>

#include "cli/command_fixture.hpp"
#include "profile/trace_script.hpp"
#include "support/json_schema.hpp"

namespace {

using namespace mallard;
using json = nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;

class advise_command_test : public command_test {
 protected:
  // A program that never was: requests whose blocks die with them.
  void write_trace(const std::string& name) const {
    profile::trace_script script(file(name).string());
    script.call("main", 1, [&] {
      for (int request = 0; request < 50; ++request) {
        script.call("handle", 4, [&] {
          std::vector<std::uint64_t> blocks;
          for (std::uint64_t i = 0; i < 100; ++i) blocks.push_back(script.allocate(5, 16 + i));
          for (const std::uint64_t one : blocks) script.free(6, one);
        });
      }
    });
    script.finish();
  }
  // Any advice has these members.
  static void expect_whole(const json& report, bool has_times = true) {
    ASSERT_FALSE(report.at("advice").empty());
    double before = 1e9;
    for (const json& one : report.at("advice")) {
      EXPECT_NE(one.at("what"), "");
      const json& tried = one.at("tried");
      const json& told = tried.is_null() ? one.at("gain") : tried;
      if (told.is_null() && !has_times) {  // nothing is predicted then
        EXPECT_NE(one.at("untold"), "");
        continue;
      }
      ASSERT_FALSE(told.is_null()) << report;
      if (one.at("strategy") != "leave") {
        EXPECT_GT(told.at("median"), 1.0);
        EXPECT_NE(one.at("code"), "");
        // A resource that cannot be told from a malloc comes before it.
        const double high = told.at("high").is_null() ? 1.05 * told.at("median").get<double>()
                                                      : told.at("high").get<double>();
        EXPECT_LE(told.at("median"), before);
        before = high;
      }
      EXPECT_THAT(one.at("confidence"), AnyOf("high", "medium", "low"));
      if (tried.is_null()) {
        EXPECT_GT(one.at("memory"), 0);
      } else {
        EXPECT_EQ(tried.at("low").is_null(), tried.at("runs").get<int>() < 5);
      }
      EXPECT_TRUE(one.at("where").contains("function"));
    }
  }
  static words quick(const words& more) { return words{"advise", "--quick"} + more; }
};

TEST_F(advise_command_test, a_page_that_cannot_be_written_is_refused_before_anything_runs) {
  for (const std::string option : {"-o", "--keep"}) {
    expect_refused({"advise", option, "/proc/advice", "--", "touch", "ran"}, 2,
                   "advice: cannot be written in /proc (");
    expect_refused({"advise", option, "nowhere/advice", "--", "touch", "ran"}, 2,
                   "name another place with " + option);
  }
  EXPECT_FALSE(fs::exists(file("ran")));
}

TEST_F(advise_command_test, refuses_in_one_line_what_it_can_say_nothing_of) {
  expect_refused({"advise"}, 2, "no trace is named");
  write_trace("t.mallard");
  expect_refused({"advise", "t.mallard", "t.mallard"}, 2, "one trace");
  expect_refused({"advise", "--keep", "k", "t.mallard"}, 2, "--keep");
  expect_refused({"advise", "--json", "--markdown", "t.mallard"}, 2, "--json");
  expect_refused({"advise", "none.mallard"}, 1, "none.mallard");
  expect_refused({"advise", "--", "./nothing"}, 2, "./nothing: no such program");
  expect_refused({"advise", "--", ADVISED_STATIC_PROGRAM}, 2, "is linked statically");
  for (const char* const option : {"-o", "--keep"}) {
    expect_refused({"advise", option, "/dev/null", "--", ADVISED_PROGRAM}, 2,
                   "has to be a regular file");
  }
  EXPECT_FALSE(fs::exists(file("advice.html")));
}

// While the program is timed, which ends as well.
TEST_F(advise_command_test, an_interrupt_ends_it_with_the_status_of_one) {
  write_script("script",
               "[ ! -e pid ] || exit 0\necho $$ > writing && mv "
               "writing pid && exec sleep 60\n");
  const ended result = interrupt(quick({"--", "./script"}), "pid");
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_THAT(result.err, HasSubstr("mallard: interrupted; no page was written\n"));
  EXPECT_NE(kill(static_cast<pid_t>(std::stol(read_file(file("pid")))), 0), 0);
  EXPECT_FALSE(fs::exists(file("advice.html")));
}

TEST_F(advise_command_test, an_interrupt_also_ends_a_program_that_ends_after_so_long) {
  write_script("script",
               "trap '' TERM\necho $$ >writing && mv writing pid\nwhile :; do sleep 0.1; done\n");
  const ended result = interrupt(quick({"--for", "60", "--", "./script"}), "pid");
  EXPECT_EQ(result.status, 130) << result.err;
  const auto pid = static_cast<pid_t>(std::stol(read_file(file("pid"))));
  for (int i = 0; i < 300 && kill(pid, 0) == 0; ++i) usleep(10'000);
  EXPECT_NE(kill(pid, 0), 0);
}

TEST_F(advise_command_test, an_interrupt_also_ends_what_the_program_started) {
  write_program_below_a_script();
  for (const words& call :
       {quick({"--", "./script"}), words{"advise", "--once", "--", "./script"}}) {
    fs::remove(file("pid"));
    EXPECT_EQ(interrupt(call, "pid", SIGTERM).status, 130);
    EXPECT_FALSE(runs("pid"));
  }
}

// Shells let jobs in the background ignore SIGINT.
TEST_F(advise_command_test, an_interrupt_also_ends_the_load) {
  write_script("load", "echo $$ >writing && mv writing pid\nwhile :; do sleep 0.05; done\n");
  write_script("server", "while :; do sleep 0.05; done\n");
  const words call = quick({"--load", "./load", "--ready", "true", "--", "./server"});
  for (const int each : {SIGINT, SIGTERM}) {
    fs::remove(file("pid"));
    EXPECT_EQ(interrupt(call, "pid", each).status, 130);
    EXPECT_FALSE(runs("pid"));
  }
  for (const std::string each : {"INT", "TERM"}) {
    fs::remove(file("pid"));
    EXPECT_EQ(in_group(each, "(while [ ! -e pid ]; do sleep 0.01; done; kill -" + each +
                                 " 0) & $MALLARD advise --quick --load ./load --ready true -- "
                                 "./server")
                  .status,
              130);
    EXPECT_FALSE(runs("pid"));
  }
}

TEST_F(advise_command_test, two_outputs_need_two_names) {
  expect_refused({"advise", "--once", "--keep", "x", "-o", "./x", "--", "true"}, 2,
                 "--output and --keep");
  expect_refused({"diff", "a", "b", "--collapsed", "y", "-o", "y"}, 2, "--collapsed and --output");
}

// Each run would take its second, whatever the allocator.
TEST_F(advise_command_test, a_program_that_takes_all_of_its_time_is_not_compared) {
  write_script("script", ADVISED_PROGRAM " 500\nwhile :; do :; done\n");
  const ended result = run({"advise", "--within", "15", "--for", "1", "--", "./script"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing was tried: each run takes all of its time"));
  EXPECT_THAT(result.out, Not(HasSubstr("Tried on the program")));
}

TEST_F(advise_command_test, each_run_reads_a_pipe_that_brings_something) {
  write_script("script",
               "read -r number || number=1; echo $number >>numbers\n" ADVISED_PROGRAM " $number\n");
  const ended result =
      shell("(sleep 0.2; echo 500) | $MALLARD advise --within 15 --force -- ./script");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Tried on the program"));
  EXPECT_THAT(read_file(file("numbers")), testing::MatchesRegex("(500\n)+"));
}

TEST_F(advise_command_test, a_pipe_that_brings_nothing_is_no_input_and_is_said) {
  write_script("script", "cat >/dev/null; " ADVISED_PROGRAM " 500\n");
  const ended result = shell("sleep 4 | $MALLARD advise --quick --no-try --force -- ./script");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("its input is a pipe that brought nothing"));
}

TEST_F(advise_command_test, what_the_program_leaves_running_ends_with_each_run_and_is_said) {
  write_script("script", ADVISED_PROGRAM " 500\nsleep 300 >/dev/null & echo $! >>left\n");
  const ended result = run(quick({"--no-try", "--", "./script"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("processes that it left running were ended"));
  // Whoever adopts the last of them reaps it when it likes.
  EXPECT_EQ(shell("while read -r one; do grep -s '^State:.[^Z]' /proc/$one/status; done <left").out,
            "");
}

TEST_F(advise_command_test, a_program_that_ends_otherwise_when_it_is_recorded_is_not_compared) {
  write_script("script",
               ADVISED_PROGRAM " 500\ncase $LD_PRELOAD in *record*) exit 0;; *) exit 3;; esac\n");
  const ended result = run(quick({"--", "./script"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing was tried: it ended with status 3, and the recorded"));
  EXPECT_THAT(result.out, Not(HasSubstr("Tried on the program")));
}

TEST_F(advise_command_test, refuses_a_trace_without_stacks) {
  profile::trace_script script(file("t.mallard").string());
  script.allocate(1, 16);
  script.finish();
  expect_refused({"advise", "t.mallard"}, 1, "has no stacks");
}

TEST_F(advise_command_test, refuses_an_empty_trace) {
  profile::trace_script script(file("t.mallard").string());
  script.finish();
  expect_refused({"advise", "t.mallard"}, 1, "no events");
}

TEST_F(advise_command_test, a_trace_of_a_program_that_is_gone_is_enough) {
  write_trace("t.mallard");
  const ended result = run(quick({"--json", "-o", "page.html", "t.mallard"}));
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  expect_whole(report, false);
  EXPECT_EQ(report.at("trace"), "t.mallard");
  EXPECT_FALSE(report.at("tried_on_the_program"));
  EXPECT_FALSE(report.at("proved"));
  EXPECT_THAT(read_file(file("page.html")), HasSubstr("mallard"));
}

TEST_F(advise_command_test, records_tries_all_ways_and_writes_the_page) {
  const ended result =
      run(quick({"--json", "--keep", "kept.trace", "--", ADVISED_PROGRAM, "4000"}));
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);  // nothing of the program's is in it
  const json_schema schema(json::parse(read_file(fs::path(DOCUMENTS) / "schema.json")));
  EXPECT_THAT(schema.complaints("advise", report), testing::IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("of the program: "));
  expect_whole(report);
  EXPECT_EQ(report.at("command"), (json{ADVISED_PROGRAM, "4000"}));
  bool looked_at = false;
  for (const char* list : {"advice", "considered"}) {
    for (const json& one : report.at(list)) {
      looked_at =
          looked_at || one.at("where").at("function").get<std::string>().find("handle_request") !=
                           std::string::npos;
    }
  }
  EXPECT_TRUE(looked_at) << result.out;
  // Timed, recorded, and in turns as it is and with what is advised.
  EXPECT_GE(report.at("program_runs"), 10);
  EXPECT_GT(report.at("resident_bytes"), 1e6);
  // Short enough to be tried often.
  const bool leaves = report.at("advice").front().at("strategy") == "leave";
  EXPECT_TRUE(leaves || report.at("proved").get<bool>()) << result.out;
  EXPECT_TRUE(fs::exists(file("advice.html")));
  EXPECT_EQ(run({"top", "kept.trace"}).status, 0);
}

TEST_F(advise_command_test, compares_a_number_that_the_program_prints) {
  write_script("script", ADVISED_PROGRAM " 1000\necho 'p50: 1 ms, p99: 12.5 ms'\n");
  const ended result =
      run(quick({"--json", "--metric", "p99: ([0-9.]+)", "--for", "9", "--", "./script"}));
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("metric").at("as_it_is"), 12.5);
  bool compared = false;
  for (const char* list : {"advice", "considered"}) {
    for (const json& one : report.at(list)) {
      if (one.at("tried").is_null()) continue;
      compared = true;
      EXPECT_EQ(one.at("tried").at("metric").at("value"), 12.5);
      EXPECT_EQ(one.at("tried").at("metric").at("median"), 1.0);
    }
  }
  EXPECT_TRUE(compared) << result.out;
}

TEST_F(advise_command_test, refuses_a_metric_that_is_none_or_that_nobody_prints) {
  expect_refused({"advise", "--metric", "(", "--", ADVISED_PROGRAM}, 2, "not a regular expression");
  expect_refused({"advise", "--metric", "p99", "--once", "--", ADVISED_PROGRAM}, 2, "--metric");
  expect_refused({"advise", "--metric", "nowhere ([0-9]+)", "--", ADVISED_PROGRAM, "100"}, 1,
                 "finds no number in its output");
}

TEST_F(advise_command_test, says_it_on_one_screen_and_how_the_program_ended) {
  // Long enough for samples: a busy machine drops nine of ten.
  const ended result = run(quick({"--no-try", "--", ADVISED_PROGRAM, "5000", "3"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("of the program: "));
  EXPECT_THAT(result.out, HasSubstr("the program ended with status 3"));
  EXPECT_THAT(result.out, AnyOf(HasSubstr("times as fast"), HasSubstr("Leave it")));
  EXPECT_THAT(result.out, AnyOf(HasSubstr("\nNot proved: predicted only by replay"),
                                HasSubstr("\nNothing was tried on the program")));
  EXPECT_THAT(result.out, HasSubstr("\nPage: advice.html\n"));
  EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 60) << result.out;
}

TEST_F(advise_command_test, a_server_is_driven_by_its_load_and_told_to_end_each_time) {
  write_script("server", "trap 'exit 3' TERM\n" ADVISED_PROGRAM
                         " 500\ntouch served\nwhile :; do sleep 0.05; done\n");
  const ended result = run(quick({"--no-try", "--json", "--load", "echo once >>loads; rm -f served",
                                  "--ready", "test -e served", "--", "./server"}));
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  const std::string loads = read_file(file("loads"));
  EXPECT_GE(std::count(loads.begin(), loads.end(), '\n'), 2) << "as it is, and recorded";
  EXPECT_EQ(report.at("command"), (json{"./server"}));
  for (const json& remark : report.at("remarks")) {
    EXPECT_THAT(remark.get<std::string>(), testing::Not(HasSubstr("ended with status")));
  }
}

TEST_F(advise_command_test, a_load_that_fails_is_said) {
  write_script("server", ADVISED_PROGRAM " 500\nexec sleep 60\n");
  expect_refused(
      {"advise", "--quick", "--load", "exit 3", "--ready", "sleep 0.2", "--", "./server"}, 1,
      "./server: the load failed");
  write_script("ends", "exit 0\n");
  expect_refused({"advise", "--quick", "--load", "sleep 9", "--ready", "true", "--", "./ends"}, 1,
                 "./ends: the load failed, or the program ended before the load was over");
  expect_refused({"advise", "--ready", "true", "--", "./server"}, 2, "--ready needs --load");
  expect_refused({"advise", "--load", "true", "t.mallard"}, 2, "for a command after --");
}

TEST_F(advise_command_test, takes_as_long_as_it_is_told) {
  write_script("script", "sleep 2\nexec " ADVISED_PROGRAM " 500\n");
  const ended result = run({"advise", "--within", "15", "--json", "--", "./script"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_LE(json::parse(result.out).at("program_runs"), 6);  // a minute has room for more
  for (const char* const seconds : {"14", "-1", "nan", "inf"}) {
    expect_refused({"advise", "--within", seconds, "--", "true"}, 2, "--within takes seconds");
  }
  expect_refused({"advise", "--within", "30", "t.mallard"}, 2, "for a command after --");
}

TEST_F(advise_command_test, once_runs_a_program_with_side_effects_a_single_time) {
  write_script("script", "echo again >>runs\nexec " ADVISED_PROGRAM " 500\n");
  const ended result = run(quick({"--once", "--json", "--", "./script"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(read_file(file("runs")), "again\n");
  EXPECT_EQ(json::parse(result.out).at("program_runs"), 1);
  expect_refused({"advise", "--once", "t.mallard"}, 2, "for a command after --");
}

// Replays are beside the C library's malloc.
TEST_F(advise_command_test, predicts_no_gain_over_a_malloc_that_the_program_does_not_run_on) {
  ASSERT_EQ(shell("LD_PRELOAD=" MALLARD_MALLOC
                  " \"$MALLARD\" record -q -o t.trace -- " ADVISED_PROGRAM " 1000 >/dev/null")
                .status,
            0);
  const ended result = run(quick({"--json", "t.trace"}));
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(result.out.find("switch-malloc:mallard\""), std::string::npos);
  for (const json& one : report.at("advice")) {
    if (one.at("strategy") == "leave") continue;
    EXPECT_THAT(one.at("untold"), HasSubstr("the program runs on libmallard-malloc.so"));
  }
}

TEST_F(advise_command_test, says_what_it_does_where_standard_error_is_no_terminal) {
  write_script("script", "sleep 2\nexec " ADVISED_PROGRAM " 1000\n");
  const ended result = run(quick({"--once", "--json", "--", "./script"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("mallard: recording the program: 2 s\n"));
}

TEST_F(advise_command_test, a_program_that_is_too_long_for_its_time_is_refused_early) {
  expect_refused({"advise", "--within", "15", "--", "sleep", "300"}, 1,
                 "sleep: it had not ended after 7.5 s, and --within 15");
  expect_refused(
      {"advise", "--within", "15", "--load", "true", "--ready", "false", "--", "sleep", "300"}, 1,
      "perhaps --ready never succeeded");
}

TEST_F(advise_command_test, a_program_that_requests_no_memory_is_left) {
  const ended advised = run(quick({"--", "true"}));
  EXPECT_EQ(advised.status, 0) << advised.err;
  EXPECT_THAT(advised.out, HasSubstr("Leave it: true: it requested no memory"));
  const ended driven =
      run(quick({"--load", "true", "--ready", "true", "--", IDLE_PROGRAM, "waits"}));
  EXPECT_EQ(driven.status, 0) << driven.err;
  EXPECT_THAT(driven.out, HasSubstr(": it requested no memory while it was recorded, so"));
  const ended as_json = run(quick({"--json", "--", "true"}));
  ASSERT_EQ(as_json.status, 0) << as_json.err;
  const json leave = json::parse(as_json.out).at("advice").at(0);
  EXPECT_EQ(leave.at("strategy"), "leave");
  EXPECT_THAT(leave.at("what").get<std::string>(), HasSubstr("requested no memory"));
  const ended recorded = run({"record", "-o", "t.mallard", "--", "true"});
  EXPECT_EQ(recorded.status, 0);
  EXPECT_THAT(recorded.err, HasSubstr("the program requested no memory\n"));
}

TEST_F(advise_command_test, a_recording_of_nothing_is_no_success) {
  const ended nothing = run({"record", "-o", "t.mallard", "--", ADVISED_STATIC_PROGRAM});
  EXPECT_EQ(nothing.status, 1) << nothing.err;
  EXPECT_THAT(nothing.err, HasSubstr("nothing was recorded"));
  EXPECT_EQ(run({"record", "-o", "u.mallard", "--", ADVISED_PROGRAM, "10"}).status, 0);
}

TEST_F(advise_command_test, writes_markdown_for_a_pull_request) {
  write_trace("t.mallard");
  const ended result = run(quick({"--markdown", "t.mallard"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, testing::StartsWith("### Memory: `program`\n"));
  EXPECT_THAT(result.out, HasSubstr("| advice | where | times as fast | memory |"));
}

}  // namespace
