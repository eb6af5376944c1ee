// The series benches as a user calls them.
#include "cli/bench_fixture.hpp"
#include "support/instrumented.hpp"

namespace mallard {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class series_command_test : public bench_command_test {
 protected:
  // Each bench, so small that it takes a moment.
  const words locality_ = {"bench",  "locality",   "--links", "2^12",       "--subsystem",
                           "4,8",    "--accesses", "2",       "--repeats",  "2",
                           "--reps", "2",          "--peers", "mallard,std"};
  const words utilization_ = {"bench",   "utilization", "--total", "20", "--active", "15",
                              "--block", "10,12",       "--reps",  "2",  "--peers",  "mallard,std"};
  // Only ours: std's shared pool takes its time. Nor a hand-over: where other programs want the
  // processors too, each turn of its ring costs a slice of time, and all together minutes.
  const words contention_ = {"bench",        "contention", "--form",    "own,shared",
                             "--iterations", "10",         "--threads", "1,2",
                             "--reps",       "2",          "--peers",   "mallard"};
  const words sharing_ = {"bench",     "false-sharing", "--increments", "18",
                          "--threads", "1,2",           "--reps",       "2",
                          "--peers",   "mallard,std"};
};

TEST_F(series_command_test, each_bench_writes_what_show_and_export_read) {
  struct expected {
    words call;
    std::size_t cells;
    const char* title;
  };
  const expected all[] = {
      // AS1, AS2, and AS7, AS9, AS13 of two libraries
      {locality_, 2 * 8, "ns per step, after shuffling"},
      {utilization_, 2 * (2 + 2 * 6), "peak resident set, MiB"},
      // own; shared with 1 and 2 threads: AS1, sync, mutex
      {contention_, 2 * (2 + 6) + 2 * 3, "form shared, clean heap, glibc"},
      {sharing_, 2 * (1 + 1 + 4 + 5 + 4), "objects of own arenas"},
  };
  for (const expected& one : all) {
    const std::string name = one.call[1] + ".jsonl";
    const lab::result_file results = measured(one.call, one.title).results;
    EXPECT_EQ(results.cells.size(), one.cells) << name;
    for (const auto& cell : results.cells) {
      EXPECT_EQ(cell.measures.begin()->second.samples.size(), 2U);
    }
    EXPECT_THAT(run({"show", name, "--color", "always"}).out, HasSubstr("\033[30;48;2;")) << name;
    const std::string csv = read_file(file("out.csv"));
    EXPECT_THAT(csv, StartsWith("bench,"));
    EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), static_cast<long>(one.cells));
    const ended same = run({"compare", name, name});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_THAT(same.out, HasSubstr(" 1.000 "));
    EXPECT_THAT(same.out, Not(HasSubstr("nan")));
    EXPECT_EQ(run({"export", name, "--google-benchmark", "--force", "-o", "out.json"}).status, 0)
        << name;
  }
}

TEST_F(series_command_test, locality_has_the_measures_that_it_promises) {
  ASSERT_EQ(run(locality_ + words{"--variant", "slides", "--json", "new.jsonl"}).status, 0);
  for (const lab::cell_result& cell : load("new.jsonl").cells) {
    EXPECT_EQ(lab::to_string(cell.at.at("links")), "4096");
    EXPECT_EQ(lab::to_string(cell.at.at("variant")), "slides");
    for (const char* name : {"create", "access_before", "shuffle", "access_after", "degradation",
                             "bytes_per_node", "rss", "empty_share", "steps"}) {
      EXPECT_NE(cell.find(name), nullptr) << name;
    }
    EXPECT_EQ(cell.find("steps")->median, 4096 * 2 * 2);
  }
}

TEST_F(series_command_test, bad_options_are_refused_before_any_file_is_made) {
  refused("locality", {"--links", "2^70"}, "--links: '2^70' is too many");
  refused("locality", {"--links", "3^5"}, "--links: '3^5' is not a number of links");
  refused("locality", {"--links", "many"}, "--links: 'many' is not a number of links");
  refused("locality", {"--links", "0"}, "--links: '0'");
  refused("locality", {"--links", "2^10", "--subsystem", "11"}, "nothing to measure");
  refused("locality", {"--subsystem", "x"}, "--subsystem: unknown value 'x'");
  refused("locality", {"--accesses", "0"}, "--accesses: unknown value '0'");
  refused("locality", {"--variant", "book"}, "--variant: unknown value 'book'");
  refused("locality", {"--repeats", "0"}, "--repeats");
  refused("locality", {"--strategies", "AS4"}, "nothing to measure");
  refused("utilization", {"--total", "70"}, "--total: unknown value '70'");
  refused("utilization", {"--active", "12", "--block", "13"}, "a block (2^13) must fit");
  refused("utilization", {"--total", "18"}, "and that into the total (2^18)");
  refused("contention", {"--form", "theirs"}, "--form: unknown value 'theirs'");
  refused("contention", {"--threads", "0"}, "--threads: unknown value '0'");
  refused("contention", {"--threads", "99999999999999999999"}, "--threads: unknown value");
  refused("contention", {"--iterations", "70"}, "--iterations: unknown value '70'");
  refused("contention", {"--form", "handoff", "--threads", "3"}, "nothing to measure");
  refused("contention", {"--strategies", "mutexes"}, "--strategies: unknown value 'mutexes'");
  refused("false-sharing", {"--form", "far"}, "--form: unknown value 'far'");
  refused("false-sharing", {"--increments", "70"}, "--increments");
  refused("false-sharing", {"--peers", "nobody"}, "--peers: unknown value 'nobody'");
  refused("false-sharing", {"--malloc", "nosuch"},
          "--malloc: unknown value 'nosuch' (known: glibc");
  refused("utilization", {"--heap", "dusty"}, "--heap: unknown value 'dusty'");
  refused("utilization", {"--memory-limit", "2^70"}, "--memory-limit: '2^70'");
  expect_refused({"bench", "contention", "--resume"}, 2, "--resume needs the file");
  expect_refused(contention_ + words{"--json", "/no/such/folder/x"}, 1, "cannot be written");
}

// The library refuses blocks of 32 KiB: whoever gets one does not run on it.
TEST_F(series_command_test, global_heap_runs_on_the_preloaded_malloc_and_ours_do_not) {
  if (mallard_test::instrumented) GTEST_SKIP();
  const words call = {"bench",     "utilization", "--total",      "24",          "--active",
                      "20",        "--block",     "15",           "--reps",      "1",
                      "--peers",   "mallard",     "--strategies", "AS1,AS2,AS7", "--json",
                      "new.jsonl", "--heap",      "clean,aged"};
  ASSERT_EQ(run(call).status, 0);
  const ended result = run(call + words{"--force", "--malloc", PICKY_MALLOC});
  EXPECT_EQ(result.status, 1);
  const auto results = load("new.jsonl");
  EXPECT_EQ(results.run.malloc, "picky");
  ASSERT_EQ(results.cells.size(), 6U);
  for (const lab::cell_result& cell : results.cells) {
    EXPECT_EQ(cell.malloc, "picky");
    EXPECT_EQ(cell.error, cell.strategy == "AS7" ? "" : "out of memory");
  }
  // Cells of two mallocs do not go into one file unless they are told apart from the start.
  expect_refused(call + words{"--resume"}, 1, "--malloc picky, not glibc");
}

TEST_F(series_command_test, density_runs_on_a_preloaded_malloc_too) {
  if (mallard_test::instrumented) GTEST_SKIP();
  const ended result =
      run({"bench",  "density",    "--ds",     "1",          "--sizes", "4",        "--strategies",
           "AS1",    "--peers",    "std",      "--scale",    "1/65536", "--reps",   "1",
           "--heap", "clean,aged", "--malloc", PICKY_MALLOC, "--json",  "new.jsonl"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(load("new.jsonl").run.malloc, "picky");
}

TEST_F(series_command_test, libraries_that_are_no_malloc_are_refused) {
  write("text.so", "not a library\n");
  const words call = contention_ + words{"--json", "new.jsonl", "--malloc"};
  expect_refused(call + words{"text.so"}, 2, "text.so is no shared library");
  expect_refused(call + words{"missing.so"}, 2, "unknown value 'missing.so'");
  if (!mallard_test::instrumented)
    expect_refused(call + words{HARMLESS_LIBRARY}, 2, "but malloc still comes from");
  EXPECT_FALSE(fs::exists(file("new.jsonl")));
}

}  // namespace
}  // namespace mallard
