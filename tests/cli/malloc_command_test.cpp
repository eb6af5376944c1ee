// The benches of mallocs as a user calls them.
#include <chrono>
#include <set>

#include "cli/bench_fixture.hpp"
#include "support/instrumented.hpp"

namespace mallard {
namespace {

using testing::HasSubstr;

class malloc_command_test : public bench_command_test {
 protected:
  // So small that it takes a moment.
  static words small(const std::string& bench, const words& more) {
    return words{"bench", bench, "--reps", "2", "--allocators", "glibc"} + more;
  }
  const words churn_ = small("churn", {"--threads", "1,2", "--objects", "1000"});
};

// A build with assertions rightly says so, which is not tested here.
std::string beside_build_warning(const std::string& text) {
  const std::string warning = "mallard: warning: built with assertions";
  return text.starts_with(warning) ? text.substr(text.find('\n') + 1) : text;
}

TEST_F(malloc_command_test, each_bench_writes_what_show_and_export_read) {
  if (mallard_test::instrumented) GTEST_SKIP();
  struct expected {
    words call;
    std::size_t cells;
    const char* title;
    words measures;
  };
  const words cache = {"--threads", "1,3", "--iterations", "10", "--touches", "100"};
  const words latencies = {"malloc_p50", "malloc_p99", "malloc_p999", "malloc_longest",
                           "free_p50",   "free_p99",   "free_p999",   "free_longest"};
  const expected all[] = {
      {churn_, 2, "threads ", {"time", "time_with_threads", "rss", "user", "system"}},
      {small("thrash", cache),
       2,
       "work per-thread, iterations 10, touches 100: time, ms",
       {"time", "rss"}},
      {small("scratch", cache),
       2,
       "work per-thread, iterations 10, touches 100: time, ms",
       {"time", "rss"}},
      {small("speed", {"--threads", "2", "--objects", "500"}),
       12,
       "m-r-f-c",
       {"time", "per_op", "rss"}},
      {small("memory", {"--teams", "1x1,2x3", "--objects", "2000"}),
       2 + 2 * 60,
       "RSS peak",
       {"peak_rss", "end_rss", "peak_dynamic", "end_dynamic", "time"}},
      {small("larson", {"--threads", "2", "--seconds", "0.02"}),
       1,
       "million replacements a second",
       {"throughput", "rss"}},
      {small("remote-free", {"--threads", "1", "--block", "16,64", "--objects", "1000"}),
       2,
       "ns per block",
       {"time", "per_op", "rss"}},
      {small("mixed-malloc", {"--threads", "2", "--live", "100", "--objects", "1000"}), 1,
       "malloc, 99.9th percentile, ns", words{"time", "fill", "rss"} + latencies},
  };
  for (const expected& one : all) {
    const std::string& name = one.call[1];
    const auto [results, errors] = measured(one.call, one.title);
    EXPECT_EQ(beside_build_warning(errors), "");
    EXPECT_EQ(results.cells.size(), one.cells) << name;
    for (const lab::cell_result& cell : results.cells) {
      EXPECT_EQ(cell.strategy + "@" + cell.peer, "AS1@global");
      EXPECT_EQ(cell.malloc, "glibc");
      if (cell.bench == "memory-series") continue;
      EXPECT_EQ(cell.measures.size(), one.measures.size()) << name;
      for (const std::string& measure : one.measures) {
        ASSERT_NE(cell.find(measure), nullptr) << name << " " << measure;
        EXPECT_EQ(cell.find(measure)->samples.size(), 2U);
      }
    }
  }
}

TEST_F(malloc_command_test, memory_series_has_sixty_points_of_one_run) {
  if (mallard_test::instrumented) GTEST_SKIP();
  ASSERT_EQ(run(small("memory", {"--teams", "1x2", "--objects", "50", "--json", "m.jsonl"})).status,
            0);
  std::set<std::int64_t> points;
  for (const lab::cell_result& cell : load("m.jsonl").cells) {
    if (cell.bench != "memory-series") continue;
    points.insert(std::get<std::int64_t>(cell.at.at("point")));
    for (const char* name : {"elapsed", "requested", "heap", "mmap", "mmap_so", "reserved_none",
                             "total_dynamic", "total_dynamic_thesis", "rss"}) {
      ASSERT_NE(cell.find(name), nullptr) << name;
      EXPECT_EQ(cell.find(name)->samples.size(), 1U);
    }
    EXPECT_GT(cell.find("rss")->median, 0) << "the point was left out";
  }
  EXPECT_EQ(points.size(), 60U);
  EXPECT_EQ(*points.begin(), 0);
  EXPECT_EQ(*points.rbegin(), 59);
}

TEST_F(malloc_command_test, failed_allocators_are_a_row_and_the_others_go_on) {
  if (mallard_test::instrumented) GTEST_SKIP();
  const ended result = run({"bench", "churn", "--reps", "2", "--threads", "1,2", "--objects",
                            "1000", "--allocators", "useless,glibc", "--allocator",
                            std::string("useless=") + HARMLESS_LIBRARY, "--json", "new.jsonl"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("\nuseless                FAIL     FAIL"));
  EXPECT_THAT(result.err,
              HasSubstr("churn, threads 1, objects 1000, spots 16, sharing shared, AS1@global, "
                        "useless (clean heap) failed: libharmless_library.so was "
                        "preloaded, but malloc is still that of"));
  const std::string errors = beside_build_warning(result.err);
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 2) << errors;
  int good = 0;
  for (const lab::cell_result& cell : load("new.jsonl").cells) {
    EXPECT_EQ(cell.ok(), cell.malloc == "glibc");
    good += cell.ok();
  }
  EXPECT_EQ(good, 2);
}

TEST_F(malloc_command_test, other_libraries_are_measured_under_their_names) {
  if (mallard_test::instrumented) GTEST_SKIP();
  const ended result = run({"bench", "remote-free", "--reps", "1", "--threads", "1", "--objects",
                            "1000", "--allocators", "glibc", "--allocator",
                            std::string("mine=") + PICKY_MALLOC, "--json", "new.jsonl"});
  EXPECT_EQ(result.status, 0) << result.err;
  std::set<std::string> mallocs;
  for (const lab::cell_result& cell : load("new.jsonl").cells) mallocs.insert(cell.malloc);
  EXPECT_EQ(mallocs, (std::set<std::string>{"glibc", "mine"}));
}

TEST_F(malloc_command_test, sizes_may_come_from_a_histogram) {
  if (mallard_test::instrumented) GTEST_SKIP();
  write("sizes.txt", "# bytes weight\n16 3\n\n200 0.5\n");
  const words call = churn_ + words{"--distribution", "sizes.txt", "--json", "new.jsonl"};
  EXPECT_EQ(run(call).status, 0);
  EXPECT_EQ(std::get<std::string>(load("new.jsonl").run.parameters.at("distribution")),
            "sizes.txt");
  const std::pair<const char*, const char*> bad[] = {
      {"16 1\nmany 2\n", "bad.txt:2: a size and a weight are expected"},
      {"16\n", "bad.txt:1: a size and a weight are expected"},
      {"16 1 1\n", "bad.txt:1: a size and a weight are expected"},
      {"0 1\n", "bad.txt:1: the size must be from 1 to 2^30"},
      {"16 -1\n", "bad.txt:1: the weight must not be negative"},
      {"16 0\n", "there is no size with a weight"},
      {"", "there is no size with a weight"},
  };
  for (const auto& [text, message] : bad) {
    write("bad.txt", text);
    expect_refused(churn_ + words{"--distribution", "bad.txt", "--json", "x.jsonl"}, 2, message);
  }
}

TEST_F(malloc_command_test, bad_options_are_refused_before_any_file_is_made) {
  refused("churn", {"--allocators", "nobody"}, "--allocators: unknown value 'nobody'");
  refused("churn", {"--allocators", ""}, "--allocators: unknown value ''");
  refused("churn", {"--allocator", "nobody"}, "--allocator: unknown value 'nobody'");
  refused("churn", {"--allocator", "=x.so"}, "--allocator: unknown value '=x.so'");
  refused("churn", {"--allocator", "x=no.so"}, "--allocator: unknown value 'no.so'");
  refused("churn", {"--objects", ""}, "--objects: unknown value ''");
  refused("churn", {"--threads", "0"}, "--threads: unknown value '0'");
  refused("churn", {"--threads", "1-x"}, "--threads: unknown value 'x'");
  refused("churn", {"--scale", "2"}, "--scale: '2'");
  refused("churn", {"--sharing", "some"}, "--sharing: unknown value 'some'");
  refused("churn", {"--touch", "twice"}, "--touch: unknown value 'twice'");
  refused("churn", {"--spots", "0"}, "--spots");
  refused("churn", {"--objects", "many"}, "--objects");
  refused("churn", {"--min", "100", "--max", "50"}, "--max: 50 is less than --min 100");
  refused("churn", {"--max", "5000", "--step", "1"}, "--step: 1 makes more than 512 sizes");
  refused("churn", {"--distribution", "normal"}, "--distribution: 'normal' is neither");
  refused("thrash", {"--work", "none"}, "--work: unknown value 'none'");
  refused("scratch", {"--size", "0"}, "--size");
  refused("speed", {"--chains", "free-malloc"}, "--chains: unknown value 'free-malloc'");
  refused("speed", {"--realloc-sizes", "x"}, "--realloc-sizes: unknown value 'x'");
  refused("memory", {"--teams", "4"}, "--teams: '4' is not PRODUCERSxCONSUMERS");
  refused("memory", {"--teams", "4x"}, "--teams: unknown value ''");
  refused("memory", {"--teams", "4x0"}, "--teams: unknown value '0'");
  refused("memory", {"--objects-of", "x"}, "--objects-of: unknown value 'x'");
  refused("larson", {"--min", "10", "--max", "9"}, "--max is less than --min");
  refused("larson", {"--seconds", "0"}, "--seconds");
  refused("remote-free", {"--batch", "100", "--objects", "99"}, "--batch: 100 is more than the 99");
  refused("remote-free", {"--form", "x"}, "--form: unknown value 'x'");
  refused("remote-free", {"--block", "x"}, "--block: unknown value 'x'");
  refused("mixed-malloc", {"--remote", "2"}, "--remote");
  refused("mixed-malloc", {"--low", "10", "--high", "9"}, "--high is less than --low");
  refused("mixed-malloc", {"--reps", "0"}, "--reps");
}

TEST_F(malloc_command_test, resume_measures_only_what_is_missing_and_only_in_the_same_way) {
  if (mallard_test::instrumented) GTEST_SKIP();
  const words speed = small("speed", {"--threads", "1", "--objects", "500", "--chains",
                                      "malloc,calloc-free", "--json", "new.jsonl"});
  ASSERT_EQ(run(speed).status, 0);
  const std::string before = read_file(file("new.jsonl"));
  EXPECT_EQ(run(speed + words{"--resume"}).status, 0);
  EXPECT_EQ(read_file(file("new.jsonl")), before);
  expect_refused(speed + words{"--resume", "--warm-up", "2"}, 1, "--warm-up 1, not 2");
  expect_refused(speed + words{"--resume", "--max", "450"}, 1, "--max 500, not 450");
  words more = speed + words{"--resume"};
  *(std::find(more.begin(), more.end(), "--threads") + 1) = "1,2";
  EXPECT_EQ(run(more).status, 0);
  EXPECT_EQ(load("new.jsonl").cells.size(), 4U);
}

TEST_F(malloc_command_test, interrupt_ends_the_measuring_process_too) {
  if (mallard_test::instrumented) GTEST_SKIP();
  // An hour of one process.
  const auto begin = std::chrono::steady_clock::now();
  interrupt(small("larson", {"--threads", "1", "--seconds", "3600", "--json", "new.jsonl"}),
            std::chrono::milliseconds(300));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_TRUE(load("new.jsonl").cells.empty());
}

TEST_F(malloc_command_test, measuring_processes_are_not_for_users) {
  expect_refused({"--malloc-work"}, 2, "for processes that mallard starts itself");
}

}  // namespace
}  // namespace mallard
