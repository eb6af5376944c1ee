// The command as a user calls it: good input works, bad input is one clear line and a status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cells.hpp"
#include "cli/bench_fixture.hpp"
#include "support/instrumented.hpp"

namespace mallard {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class commands_test : public bench_command_test {
 protected:
  void SetUp() override { write("good.jsonl", good_); }

  // A bench of one structure that takes a moment.
  words small_bench(const std::string& json, const words& more = {}) const {
    const words call = {"bench",        "density", "--ds",    "1",   "--sizes", "4",
                        "--strategies", "AS1,AS3", "--peers", "std", "--scale", "1/65536",
                        "--reps",       "2",       "--json",  json};
    return call + more;
  }

  const std::string good_ = to_line(lab::make_run()) + "\n" +
                            to_line(lab::make_cell("DS1", 6, "AS1", "global", "clean", 2)) + "\n" +
                            to_line(lab::make_cell("DS1", 6, "AS7", "mallard", "clean", 1)) + "\n";
};

TEST_F(commands_test, tells_its_version_and_its_help) {
  EXPECT_THAT(run({"--version"}).out, StartsWith("mallard "));
  EXPECT_EQ(run({"--version"}).status, 0);
  EXPECT_THAT(run({"--help"}).out, HasSubstr("bench"));
  EXPECT_THAT(run({"bench", "density", "--help"}).out, HasSubstr("--memory-limit"));
  EXPECT_EQ(run({"help", "bench"}).out, run({"bench", "--help"}).out);
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "bench", "density"}).out, run({"bench", "density", "--help"}).out);
  for (const words& asked :
       {words{"help", "--color", "never", "bench"}, words{"help", "bench", "--color=never"}}) {
    EXPECT_EQ(run(asked).out, run({"bench", "--help"}).out);
  }
  expect_refused({"help", "bensh"}, 2, "bench");
  expect_refused({"help", "bench", "desnity"}, 2, "did you mean 'density'?");
  for (const char* word : {"--", "touch"}) {
    expect_refused({"help", "record", word, "ran"}, 2, "unknown command '" + std::string(word));
  }
}

TEST_F(commands_test, unknown_commands_and_options_are_refused) {
  expect_refused({}, 2, "subcommand is required");
  expect_refused({"fly"}, 2, "unknown command 'fly'");
  expect_refused({"advize"}, 2, "unknown command 'advize': did you mean 'advise'?");
  expect_refused({"check", "t", "--bugdet", "b"}, 2,
                 "unknown option '--bugdet': did you mean '--budget'?");
  expect_refused({"top", "--colour=never"}, 2,
                 "unknown option '--colour': did you mean '--color'?");
  expect_refused({"top", "--sort", "size"}, 2,
                 "--sort: unknown value 'size' (known: peak, bytes, ");
  expect_refused({"top", "-n", "-1"}, 2, "-1");
  expect_refused({"top", ""}, 2, "TRACE: is empty");
  expect_refused({"top", "one", "two", "three"}, 2, "there is no place for 'two'");
  expect_refused({"bench"}, 2, "subcommand is required");
  expect_refused({"bench", "fly"}, 2, "unknown command 'fly'");
  expect_refused({"bench", "density", "--fly"}, 2, "--fly");
  expect_refused({"--color", "pink", "bench", "list"}, 2, "'pink'");
}

TEST_F(commands_test, bad_bench_options_are_refused_before_any_file_is_made) {
  refused("density", {"--ds", "13"}, "--ds: unknown value '13'");
  refused("density", {"--sizes", "99"}, "--sizes: unknown value '99'");
  refused("density", {"--sizes", ""}, "--sizes: unknown value ''");
  refused("density", {"--strategies", "AS77"}, "--strategies: unknown value 'AS77'");
  refused("density", {"--peers", "jemalloc"}, "--peers: unknown value 'jemalloc'");
  refused("density", {"--heap", "dusty"}, "--heap: unknown value 'dusty'");
  refused("density", {"--scale", "7"}, "--scale: '7'");
  refused("density", {"--reps", "0"}, "--reps");
  refused("density", {"--timeout", "-1"}, "--timeout");
  refused("density", {"--memory-limit", "much"}, "--memory-limit: 'much'");
  refused("density", {"--strategies", "AS2", "--peers", "mallard"}, "none of the peers");
  refused("density", {"--paper", "--scale", ""}, "--scale: ''");
  expect_refused({"bench", "density", "--resume"}, 2, "--resume needs the file");
}

TEST_F(commands_test, output_that_cannot_be_written_is_found_out_before_measuring) {
  expect_refused(small_bench("/no/such/folder/x.jsonl"), 1, "cannot be written");
  expect_refused(small_bench("."), 1, "exists already");
  expect_refused(small_bench("good.jsonl"), 1, "exists already");
  EXPECT_EQ(read_file(file("good.jsonl")), good_);
}

TEST_F(commands_test, a_folder_for_figures_that_cannot_be_made_is_named) {
  write("results", "a file");
  words call = small_bench("none");
  std::erase(call, "--json");
  std::erase(call, "none");
  expect_refused(call, 1, "results: this folder for result files cannot be made in ");
}

TEST_F(commands_test, bad_result_files_are_refused_by_every_reader) {
  write("bad.jsonl", good_ + "{\"kind\":\"cell\"}\n");
  for (const char* name : {"show", "claims", "compare", "report", "export"}) {
    words options;
    if (std::string(name) == "compare") options = {"good.jsonl"};
    if (std::string(name) == "report") options = {"-o", "page.html"};
    if (std::string(name) == "export") options = {"--google-benchmark", "-o", "out.json"};
    expect_refused(words{name, "none.jsonl"} + options, 1, "none.jsonl: No such file or directory");
    expect_refused(words{name, "bad.jsonl"} + options, 1, "bad.jsonl:4: ");
    expect_refused(words{name, "."} + options, 1, ".: a folder, not a result file");
  }
  EXPECT_FALSE(fs::exists(file("page.html")));
  EXPECT_FALSE(fs::exists(file("out.json")));
}

TEST_F(commands_test, cut_off_last_line_is_a_warning) {
  write("cut.jsonl", good_.substr(0, good_.size() - 20));
  const ended result = run({"show", "cut.jsonl", "--peer", "global"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("cut.jsonl:3: the last line is cut off"));
  EXPECT_THAT(result.out, HasSubstr("density, ds DS1"));
}

TEST_F(commands_test, bad_reader_options_are_refused) {
  expect_refused({"show"}, 2, "RESULT");
  expect_refused({"show", "good.jsonl", "--peer", "boost"}, 2, "no cells of peer 'boost'");
  expect_refused({"compare", "good.jsonl"}, 2, "needs two results");
  expect_refused({"compare", "good.jsonl", "--base", "AS1"}, 2, "go together");
  expect_refused({"compare", "good.jsonl", "--base", "AS0", "--against", "AS7"}, 2, "'AS0'");
  expect_refused({"compare", "good.jsonl", "--base", "AS3", "--against", "AS7"}, 2,
                 "no cells of strategy or malloc 'AS3'");
  expect_refused({"export", "good.jsonl", "-o", "x.json"}, 2, "--google-benchmark or --csv");
  expect_refused({"export", "good.jsonl", "--google-benchmark", "-o", "/no/such/folder/x"}, 1,
                 "cannot be written");
  expect_refused({"report", "good.jsonl", "-o", "/no/such/folder/x.html"}, 1, "cannot be written");
}

TEST_F(commands_test, bench_writes_what_the_other_commands_read) {
  const ended bench = run(small_bench("new.jsonl"));
  ASSERT_EQ(bench.status, 0) << bench.err;
  EXPECT_THAT(bench.out,
              HasSubstr("density, ds DS1, clean heap, glibc, std: ns per leaf insertion"));
  EXPECT_THAT(bench.out, testing::Not(HasSubstr("\033")));
  const lab::result_file results = lab::load_results(file("new.jsonl"));
  EXPECT_EQ(results.cells.size(), 2U);
  EXPECT_THAT(results.run.command, StartsWith("mallard bench density --ds 1"));

  EXPECT_EQ(run({"show", "new.jsonl", "--peer", "std"}).status, 0);
  EXPECT_THAT(run({"show", "new.jsonl", "--peer", "std", "--color", "always"}).out,
              HasSubstr("\033[30;48;2;"));
  EXPECT_THAT(run({"compare", "new.jsonl", "--base", "AS1", "--against", "AS3@std"}).out,
              HasSubstr("DS1"));
  const ended claims = run({"claims", "new.jsonl", "--json"});
  EXPECT_GE(nlohmann::json::parse(claims.out)["verdicts"].size(), 20U);
  ASSERT_EQ(run({"report", "new.jsonl", "-o", "page.html"}).status, 0);
  EXPECT_THAT(read_file(file("page.html")), HasSubstr("</html>"));
}

TEST_F(commands_test, claims_are_judged_over_files_of_several_benches) {
  std::ofstream out(file("lists.jsonl"));
  out << to_line(lab::make_series_run()) << "\n";
  for (const auto& [strategy, peer, seconds] :
       {std::tuple("AS1", "global", 30.0), std::tuple("AS7", "mallard", 2.0)}) {
    out << to_line(lab::make_series_cell(18, strategy, peer, "clean", seconds)) << "\n";
  }
  out.close();
  const ended printed = run({"claims", "good.jsonl", "lists.jsonl"});
  ASSERT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("I-1.1"));
  EXPECT_THAT(printed.out, HasSubstr("AS1 / AS7 at links 2^21, subsystem 18, accesses 8"));

  std::ofstream(file("mine.json")) << R"({"bench": "density", "claims": [
    {"id": "A-1", "statement": "Faster",
     "holds": [{"label": "time", "left": "AS7", "right": "AS1", "range": [0, 1]}]}]})";
  const ended mine = run({"claims", "good.jsonl", "--statements", "mine.json"});
  EXPECT_THAT(mine.out, HasSubstr("A-1 "));
  EXPECT_THAT(mine.out, testing::Not(HasSubstr("I-2.1 ")));
  const ended json = run({"claims", "good.jsonl", "lists.jsonl", "--json"});
  std::map<std::string, nlohmann::json> by_id;
  const auto judged = nlohmann::json::parse(json.out);
  for (const auto& one : judged.at("verdicts")) by_id[one.at("id")] = one;
  EXPECT_EQ(by_id.at("II-19").at("verdict"), "holds");  // an order of magnitude
  EXPECT_EQ(by_id.at("II-19").at("source"), "Slides");
  EXPECT_EQ(by_id.at("II-19").at("variant"), "code");
  EXPECT_EQ(by_id.at("II-6").at("verdict"), "undecided");
  EXPECT_TRUE(by_id.contains("I-1.1"));
  EXPECT_FALSE(by_id.contains("III-1"));

  write("bad.jsonl", "{}\n");
  expect_refused({"claims", "good.jsonl", "bad.jsonl"}, 1, "bad.jsonl:1: ");
  expect_refused({"claims"}, 2, "RESULT");
  expect_refused({"claims", "good.jsonl", "--statements", "none.json"}, 1,
                 "none.json: No such file or directory");
  write("mine.json", R"({"claims": [{"id": "A-1"}]})");
  expect_refused({"claims", "good.jsonl", "--statements", "mine.json"}, 1,
                 "mine.json: A-1: 'statement' is missing");
}

TEST_F(commands_test, compare_reads_two_results) {
  std::ofstream(file("other.jsonl"))
      << to_line(lab::make_run()) << "\n"
      << to_line(lab::make_cell("DS1", 6, "AS7", "mallard", "clean", 0.25)) << "\n";
  const ended result = run({"compare", "good.jsonl", "other.jsonl"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("4.000"));
}

TEST_F(commands_test, export_has_an_entry_per_repetition_and_a_median) {
  ASSERT_EQ(run({"export", "good.jsonl", "--google-benchmark", "-o", "out.json"}).status, 0);
  const auto json = nlohmann::json::parse(read_file(file("out.json")));
  EXPECT_TRUE(json.contains("context"));
  ASSERT_EQ(json["benchmarks"].size(), 2U * 4U);
  const auto& first = json["benchmarks"][0];
  EXPECT_EQ(first["name"], "density/DS1/6/AS1@global/clean/glibc/time");
  EXPECT_EQ(first["run_type"], "iteration");
  EXPECT_EQ(json["benchmarks"][3]["real_time"], 2e9);
  EXPECT_EQ(json["benchmarks"][3]["aggregate_name"], "median");
}

TEST_F(commands_test, resume_measures_only_what_is_missing) {
  ASSERT_EQ(run(small_bench("new.jsonl")).status, 0);
  const std::string before = read_file(file("new.jsonl"));
  EXPECT_EQ(run(small_bench("new.jsonl", {"--resume"})).status, 0);
  EXPECT_EQ(read_file(file("new.jsonl")), before);
  EXPECT_EQ(run(small_bench("new.jsonl", {"--resume", "--heap", "clean,aged"})).status, 0);
  EXPECT_EQ(lab::load_results(file("new.jsonl")).cells.size(), 4U);
  expect_refused(small_bench("new.jsonl", {"--resume", "--seed", "9"}), 1, "--seed 1, not 9");
}

TEST_F(commands_test, failed_cells_are_named_and_the_rest_goes_on) {
  if (mallard_test::instrumented) GTEST_SKIP();
  words call = small_bench("new.jsonl", {"--memory-limit", "150M"});
  call[3] = "1,6";
  call[5] = "4,12";
  const ended result = run(call);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err,
              HasSubstr("density, ds DS6, size 12, AS1@global (clean heap) failed: out of memory"));
  EXPECT_THAT(result.out, HasSubstr("FAIL"));
  const auto results = lab::load_results(file("new.jsonl"));
  EXPECT_EQ(results.cells.size(), 8U);
  EXPECT_EQ(std::count_if(results.cells.begin(), results.cells.end(),
                          [](const auto& cell) { return cell.ok(); }),
            6);
}

TEST_F(commands_test, interrupt_keeps_what_is_measured_and_says_how_to_go_on) {
  words call = small_bench("new.jsonl");
  *(std::find(call.begin(), call.end(), "--reps") + 1) = "10000";
  interrupt(call, std::chrono::milliseconds(1500));
  const auto results = lab::load_results(file("new.jsonl"));
  EXPECT_GE(results.cells.size(), 1U);
  for (const auto& cell : results.cells) {
    EXPECT_TRUE(cell.ok());
    EXPECT_LT(cell.repetitions(), 10000U);
  }
}

TEST_F(commands_test, doctor_prints_the_file_of_a_malloc_for_the_preload) {
  const ended ours = run({"doctor", "--library", "mallard"});
  EXPECT_EQ(ours.status, 0);
  EXPECT_THAT(ours.out, EndsWith("/libmallard-malloc.so\n"));
  EXPECT_TRUE(fs::exists(ours.out.substr(0, ours.out.size() - 1)));
  expect_refused({"doctor", "--library", "glibc"}, 2, "needs no library");
  expect_refused({"doctor", "--library", "nomalloc"}, 2, "--library: unknown value 'nomalloc'");
}

TEST_F(commands_test, list_names_the_benches_the_peers_and_the_mallocs) {
  const ended listed = run({"bench", "list"});
  EXPECT_EQ(listed.status, 0);
  const std::string& list = listed.out;
  for (const char* bench :
       {"density", "locality",    "utilization",   "contention",     "false-sharing",
        "churn",   "thrash",      "scratch",       "speed",          "memory",
        "larson",  "remote-free", "mixed-malloc",  "expand-forward", "expand-backward",
        "shrink",  "burst",       "adaptive-pool", "realloc",        "mixed"}) {
    EXPECT_THAT(list, HasSubstr(std::string("\n  ") + bench)) << bench;
  }
  EXPECT_THAT(list, HasSubstr("\nMallocs\n  glibc             the system's\n"));
  for (const char* name : {"mallard", "jemalloc", "tcmalloc", "mimalloc", "tbbmalloc", "sync",
                           "mutex", "std@std", "realloc@global", "heap@mallard"}) {
    EXPECT_THAT(list, HasSubstr(name));
  }
  const ended doctor = run({"doctor"});
  EXPECT_EQ(doctor.status, 0);
  for (const std::string& all : {list, doctor.out}) {
    EXPECT_THAT(all, HasSubstr("std"));
    EXPECT_THAT(all, HasSubstr("boost"));  // built in, or skipped with its reason
  }
}

}  // namespace
}  // namespace mallard
