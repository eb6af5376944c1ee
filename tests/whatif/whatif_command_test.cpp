// `mallard whatif` as a user calls it.
#include <signal.h>

#include "cli/command_fixture.hpp"
#include "lab/results/results.hpp"

namespace {

using namespace mallard;
using testing::HasSubstr;

class whatif_command_test : public command_test {
 protected:
  static words with(const std::string& route, const std::string& what = "requests") {
    return {"whatif", "--repetitions", "1", "--route", route, "--", MALLARD_ROUTED_PROGRAM, what};
  }
};

TEST_F(whatif_command_test, says_what_a_route_does) {
  const ended result = run(with("one_request=monotonic"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* row : {"as it is", "hook alone", "with routes"}) {
    EXPECT_THAT(result.out, HasSubstr(row));
  }
  EXPECT_THAT(result.out, HasSubstr("one_request=monotonic: 20000 blocks, 781 KiB requested"));
  EXPECT_THAT(result.out, HasSubstr("the hook's own time ("));
}

TEST_F(whatif_command_test, routes_are_tried_together_or_each_alone) {
  const words two = {"whatif",  "--repetitions",    "1", "--route", "one_request=heap",
                     "--route", "size:40=multipool"};
  const words program = {"--", MALLARD_ROUTED_PROGRAM, "requests"};
  const ended together = run(two + program);
  ASSERT_EQ(together.status, 0) << together.err;
  EXPECT_THAT(together.out, HasSubstr("size:40=multipool: 0 blocks"));
  const ended alone = run(two + words{"--each"} + program);
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("one_request=heap: 20000 blocks"));
  EXPECT_THAT(alone.out, HasSubstr("size:40=multipool: 20000 blocks"));
}

TEST_F(whatif_command_test, writes_a_result_file) {
  const words call = {"whatif",
                      "--repetitions",
                      "2",
                      "--json",
                      "r.jsonl",
                      "--route",
                      "one_request=heap",
                      "--route",
                      "size:7777777-=heap",
                      "--each",
                      "--",
                      MALLARD_ROUTED_PROGRAM,
                      "requests"};
  const ended result = run(call);
  ASSERT_EQ(result.status, 1) << result.err;  // no block is as large as that
  const lab::result_file written = lab::load_results(file("r.jsonl"));
  EXPECT_EQ(written.run.bench, "whatif");
  ASSERT_EQ(written.cells.size(), 4U);
  EXPECT_EQ(written.cells[0].strategy, "AS1");
  EXPECT_EQ(written.cells[1].strategy, "hook");
  const lab::cell_result& routed = written.cells[2];
  EXPECT_EQ(routed.strategy, "one_request=heap");
  EXPECT_EQ(routed.peer, "mallard");
  EXPECT_EQ(routed.at.word("program"), "routed_program");
  EXPECT_EQ(routed.find("elapsed")->samples.size(), 2U);
  EXPECT_EQ(routed.find("processor")->samples.size(), 2U);
  EXPECT_EQ(routed.median_of("routed_blocks"), 100 * 200);
  EXPECT_EQ(written.cells[3].error, "no block matched a route");
  EXPECT_EQ(run({"show", "r.jsonl"}).status, 0);
  EXPECT_EQ(run({"compare", "r.jsonl", "r.jsonl"}).status, 0);

  const std::string before = read_file(file("r.jsonl"));
  expect_refused(call, 2, "exists already");
  expect_refused({"whatif", "--json", "r.jsonl", "--force", "--route", "one_reqest=heap", "--",
                  MALLARD_ROUTED_PROGRAM, "requests"},
                 2, "matches nothing");
  EXPECT_EQ(read_file(file("r.jsonl")), before);
  expect_refused({"whatif", "--json", "no/folder/r.jsonl", "--route", "one_request=heap", "--",
                  MALLARD_ROUTED_PROGRAM, "requests"},
                 2, "cannot be written");
}

TEST_F(whatif_command_test, what_matches_nothing_says_what_is_near) {
  expect_refused(with("one_reqest=heap"), 2,
                 "function:one_reqest matches nothing that allocates; nearest: ");
  expect_refused(with("one_reqest=heap"), 2, "one_request");
  expect_refused(with("scope:reqest=heap", "scopes"), 2, "nearest: request");
  expect_refused(with("scope:reqest=heap"), 2, "the program has no scope");
  expect_refused(with("module:routed_progam=heap"), 2, "nearest: routed_program");
  expect_refused(with("zzzzzzzzzzzzzzzz=heap"), 2, "matches nothing");
}

TEST_F(whatif_command_test, a_route_that_no_block_takes_has_no_figures) {
  const ended result = run(with("one_request+size:100000-=heap"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("no block matched a route"));
}

TEST_F(whatif_command_test, routes_that_cannot_be_meant_are_refused) {
  expect_refused(with("one_request=faster"), 2,
                 "unknown strategy 'faster' (known: monotonic, multipool, "
                 "multipool-on-monotonic, heap, adaptive-pool)");
  expect_refused(with("one_request"), 2, "is not PATTERN=STRATEGY");
  expect_refused(with("=heap"), 2, "is not PATTERN=STRATEGY");
  expect_refused(with("one_request="), 2, "is not PATTERN=STRATEGY");
  expect_refused(with("(=heap"), 2, "is not a regular expression");
  expect_refused(with("size:9-1=heap"), 2, "the range of sizes from 9 to 1 is empty");
  expect_refused(with("size:40=monotonic"), 2, "monotonic needs the end of a function");
}

TEST_F(whatif_command_test, what_cannot_be_started_is_refused) {
  const auto whatif = [](const std::string& program) {
    return words{"whatif", "--route", "f=heap", "--", program};
  };
  std::ofstream(file("text")) << "no program";
  expect_refused(whatif("./gone"), 2, "./gone: no such program");
  expect_refused(whatif("no-such-command-anywhere"), 2, "no such program");
  expect_refused(whatif("./text"), 2, "./text: not an executable file");
  expect_refused(whatif("/"), 2, "/: not an executable file");
  expect_refused(whatif(MALLARD_STATIC_PROGRAM), 2, "is linked statically");
  expect_refused({"whatif", "--route", "f=heap"}, 2, "command is required");
}

TEST_F(whatif_command_test, options_that_mean_nothing_are_refused) {
  const auto with_option = [](const words& options) {
    return words{"whatif", "--route", "one_request=heap"} + options +
           words{"--", MALLARD_ROUTED_PROGRAM, "requests"};
  };
  expect_refused(with_option({"--repetitions", "0"}), 2, "--repetitions");
  expect_refused(with_option({"--budget", "-1"}), 2, "--budget");
  expect_refused(with_option({"--budget", "nan"}), 2, "--budget");
  expect_refused(with_option({"--unwind", "guesses"}), 2, "unknown value 'guesses'");
  expect_refused(with_option({"--malloc", "no-such-malloc"}), 2, "no-such-malloc");
  expect_refused({"whatif", "--malloc", "/proc/self/exe", "--", "ls"}, 2, "has no malloc");
  expect_refused({"whatif", "--", MALLARD_ROUTED_PROGRAM, "requests"}, 2, "nothing to try");
}

TEST_F(whatif_command_test, a_program_that_ends_otherwise_with_a_route_has_no_figures) {
  const ended result = run(with("produce=heap", "picky"));
  EXPECT_EQ(result.status, 1) << result.out;
  EXPECT_THAT(result.out,
              HasSubstr("ended with status 5; unmodified, the program ended with status 0"));
}

// As it is, too: what is compared is how it ends.
TEST_F(whatif_command_test, a_program_that_fails_by_itself_is_measured_all_the_same) {
  const ended result = run(with("one_request=heap", "chatty"));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("one_request=heap: 200 blocks"));
  EXPECT_THAT(result.out,
              HasSubstr("The program ended with status 3 in each run, also unmodified."));
}

TEST_F(whatif_command_test, output_that_changes_by_itself_cannot_be_compared) {
  expect_refused({"whatif", "--check-output", "--route", "produce=heap", "--",
                  MALLARD_ROUTED_PROGRAM, "different"},
                 2, "differs from run to run");
}

TEST_F(whatif_command_test, scripts_are_routed_by_the_programs_they_start) {
  write_script("script", MALLARD_ROUTED_PROGRAM " requests\n");
  const ended result = run({"whatif", "--repetitions", "1", "--route",
                            "module:routed_program+size:40=multipool", "--", "./script"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("20000 blocks"));
}

TEST_F(whatif_command_test, an_interrupt_ends_it_with_the_status_of_one) {
  write_script("script", ": > started\nexec " MALLARD_ROUTED_PROGRAM " requests\n");
  const ended result = interrupt(
      {"whatif", "--repetitions", "1000000", "--route", "one_request=heap", "--", "./script"},
      "started");
  EXPECT_EQ(result.status, 130);
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
}

TEST_F(whatif_command_test, an_interrupt_ends_a_program_that_never_ends_and_starts_no_other) {
  write_script("script", "trap '' TERM\necho $$ >>pids\n: >started\nwhile :; do sleep 0.1; done\n");
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove(file("pids"));
    fs::remove(file("started"));
    const ended result =
        interrupt({"whatif", "--route", "one_request=heap", "--", "./script"}, "started", each);
    EXPECT_EQ(result.status, 130) << each;
    const std::string pids = read_file(file("pids"));
    EXPECT_EQ(std::count(pids.begin(), pids.end(), '\n'), 1) << pids;
    EXPECT_NE(kill(static_cast<pid_t>(std::stol(pids)), 0), 0);
  }
}

TEST_F(whatif_command_test, an_interrupt_also_ends_what_the_program_started) {
  write_program_below_a_script();
  for (const int each : {SIGINT, SIGTERM}) {
    fs::remove(file("pid"));
    EXPECT_EQ(interrupt({"whatif", "--malloc", "mallard", "--", "./script"}, "pid", each).status,
              130);
    EXPECT_FALSE(runs("pid"));
  }
}

TEST_F(whatif_command_test, signals_that_a_program_sends_to_its_group_do_not_end_it) {
  const std::string signals = write_group_signaller();
  const ended result =
      in_group(signals, "$MALLARD whatif --repetitions 1 --malloc mallard -- ./script");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(whatif_command_test, a_terminal_that_is_gone_does_not_end_what_runs_below_nohup) {
  write_script("script", ": >started\nsleep 0.5\n");
  const ended result = shell(
      "(while [ ! -e started ]; do sleep 0.01; done; kill -HUP $$) & trap '' HUP; "
      "exec $MALLARD whatif --repetitions 1 --malloc mallard -- ./script");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(whatif_command_test, too_little_address_space_is_named_as_the_cause) {
  const ended result = shell("ulimit -v 300000; $MALLARD whatif --route size:0-4000=heap -- ls");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("too few free addresses"));
  EXPECT_THAT(result.err, HasSubstr("ulimit -v allows 292 MiB"));
  const ended enough =
      shell("ulimit -v 20000000; $MALLARD whatif --repetitions 1 --route size:0-4000=heap -- ls");
  EXPECT_EQ(enough.status, 0) << enough.err;
}

TEST_F(whatif_command_test, where_files_may_not_be_big_is_said_in_one_line) {
  const ended result =
      shell("ulimit -f 1; $MALLARD whatif --repetitions 1 --route size:0-4000=heap -- ls");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("File too large"));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(whatif_command_test, a_malloc_may_be_named) {
  const ended result = run({"whatif", "--repetitions", "1", "--malloc",
                            "mine=" + std::string(MALLARD_MALLOC_FILE), "--", "ls"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nmine "));
}

TEST_F(whatif_command_test, a_link_is_not_made_where_its_name_has_a_space_too) {
  ASSERT_EQ(shell("mkdir 't t'; cp " MALLARD_MALLOC_FILE " 't t/m.so'").status, 0);
  const std::string call = "$MALLARD whatif --repetitions 1 --malloc 't t/m.so' -- ls";
  EXPECT_EQ(shell(call).status, 0);
  const ended refused = shell("TMPDIR='t t' " + call);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("has one, too: set TMPDIR to another folder"));
  EXPECT_EQ(shell("TMPDIR= " + call).status, 0);
}

TEST_F(whatif_command_test, few_runs_have_no_interval) {
  const ended result = run(with("one_request=heap"));
  EXPECT_THAT(result.out, HasSubstr("one run; "));
  EXPECT_EQ(result.out.find("95 %"), std::string::npos);
}

}  // namespace
