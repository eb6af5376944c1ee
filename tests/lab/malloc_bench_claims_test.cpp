// Claims about general-purpose allocators in the micro-benchmarks, judged on made-up results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "claim_sides.hpp"

namespace mallard::lab {
namespace {

using cells = std::vector<cell_result>;
using testing::HasSubstr;

cell_result churn(std::string_view malloc, double figure, std::int64_t threads = 2) {
  return make_cell_of("churn",
                      {{"threads", threads}, {"sharing", "private"}, {"spots", std::int64_t{16}}},
                      "AS1", "time", figure, malloc);
}

// With one thread it always takes a second.
cells cache(std::string_view bench, std::string_view malloc, double with_two,
            std::string_view work = "per-thread") {
  const auto at = [&](std::int64_t threads) {
    return place{{"threads", threads}, {"work", std::string(work)}, {"size", std::int64_t{1}}};
  };
  return {make_cell_of(bench, at(1), "AS1", "time", 1, malloc),
          make_cell_of(bench, at(2), "AS1", "time", with_two, malloc)};
}

cell_result chain(std::string_view name, std::string_view malloc, double figure,
                  std::string_view measure = "time", std::int64_t threads = 1) {
  return make_cell_of("speed", {{"threads", threads}, {"chain", std::string(name)}}, "AS1", measure,
                      figure, malloc);
}

cell_result memory(std::string_view malloc, double peak, double end) {
  cell_result cell =
      make_cell_of("memory", {{"producers", std::int64_t{1}}, {"consumers", std::int64_t{1}}},
                   "AS1", "peak_dynamic", peak, malloc);
  cell.measures["end_dynamic"] = {"B", {}, end, end, end};
  return cell;
}

cells join(cells all, const cells& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Two allocators with calloc, `ratio` apart, and with malloc, twice apart.
cells levelled(double ratio) {
  return {chain("malloc", "glibc", 1),      chain("malloc", "jemalloc", 2),
          chain("calloc", "glibc", 4),      chain("calloc", "jemalloc", 4 * ratio),
          chain("malloc-free", "glibc", 2), chain("malloc-free", "jemalloc", 4),
          chain("calloc-free", "glibc", 8), chain("calloc-free", "jemalloc", 8 * ratio)};
}

cells zeroing(double calloc) {
  return {chain("malloc", "glibc", 1), chain("calloc", "glibc", calloc),
          chain("malloc-free", "glibc", 2), chain("calloc-free", "glibc", 2 * calloc)};
}

cells with_threads(std::string_view malloc, double with_two) {
  return {chain("malloc", malloc, 1), chain("malloc", malloc, with_two, "time", 2)};
}

cells heap_area(std::string_view malloc, double bytes) {
  return {make_cell_of("memory-series",
                       {{"producers", std::int64_t{1}}, {"point", std::int64_t{30}}}, "AS1", "heap",
                       bytes, malloc)};
}

TEST(malloc_bench_claims, hold_and_fail) {
  const auto latency = [](double call) {
    return cells{chain("realloc", "glibc", 1, "per_op"),
                 chain("malloc-realloc-free", "glibc", call, "per_op")};
  };
  const auto both = [](double thrash, double scratch) {
    return join(cache("thrash", "glibc", thrash), cache("scratch", "glibc", scratch));
  };
  const auto hoards = [](double others) {
    return join(cache("scratch", "glibc", others), cache("scratch", "hoard", 5));
  };
  expect_both_sides(
      "MB-", {{"MB-1",
               {churn("glibc", 1), churn("jemalloc", 0.9)},
               {churn("glibc", 1), churn("jemalloc", 0.4)},
               {}},
              {"MB-2",
               {churn("glibc", 1.2), churn("jemalloc", 1)},
               {churn("glibc", 0.9), churn("jemalloc", 1)},
               {}},
              {"MB-3", cache("thrash", "tbbmalloc", 1), cache("thrash", "tbbmalloc", 3), {}},
              {"MB-4", cache("thrash", "dlmalloc", 3), cache("thrash", "dlmalloc", 1), {}},
              {"MB-5",
               join(cache("thrash", "dlmalloc", 3), cache("thrash", "ptmalloc3", 2)),
               join(cache("thrash", "dlmalloc", 2), cache("thrash", "ptmalloc3", 3)),
               {}},
              {"MB-6", cache("scratch", "jemalloc", 1.1), cache("scratch", "jemalloc", 2), {}},
              {"MB-7",
               join(cache("scratch", "jemalloc", 1), cache("scratch", "rpmalloc", 1)),
               join(cache("scratch", "jemalloc", 1), cache("scratch", "rpmalloc", 2)),
               {}},
              {"MB-8", cache("scratch", "glibc", 2), cache("scratch", "glibc", 1), {}},
              {"MB-9", hoards(2), hoards(9), {}},
              {"MB-10", both(1, 2), both(1, 1), {}},
              {"MB-11", zeroing(2), zeroing(1), {}},
              {"MB-12", levelled(1.2), levelled(3), {}},
              {"MB-13", with_threads("jemalloc", 1), with_threads("jemalloc", 2), {}},
              {"MB-14", with_threads("hoard", 2), with_threads("hoard", 1), {}},
              {"MB-15", latency(0.9), latency(2), {}},
              {"MB-16", heap_area("jemalloc", 0), heap_area("jemalloc", 1e6), {}},
              {"MB-17",
               {memory("glibc", 1e6, 1e6), memory("tbbmalloc", 2e6, 2e6)},
               {memory("glibc", 3e6, 1e6), memory("tbbmalloc", 2e6, 2e6)},
               {}},
              {"MB-18", {memory("glibc", 1e6, 1e6)}, {memory("glibc", 1e6, 5e5)}, {}},
              {"MB-19", {memory("ptmalloc3", 1e6, 5e5)}, {memory("ptmalloc3", 1e6, 1e6)}, {}}});
}

TEST(malloc_bench_claims, are_about_the_chapters_allocators) {
  EXPECT_EQ(
      judge_claim(join(cache("thrash", "glibc", 1), cache("thrash", "mallard", 5)), "MB-3").result,
      verdict::holds);
  EXPECT_EQ(judge_claim(cache("thrash", "mallard", 1), "MB-3").result, verdict::undecided);
}

TEST(malloc_bench_claims, each_allocator_is_named_by_itself) {
  const claim_verdict one =
      judge_claim(join(cache("scratch", "glibc", 2), cache("scratch", "tbbmalloc", 1)), "MB-8");
  EXPECT_EQ(one.result, verdict::fails);
  EXPECT_THAT(one.figures, HasSubstr("malloc tbbmalloc = 1.00"));
  EXPECT_THAT(one.figures, HasSubstr("1 of 2 outside"));
}

TEST(malloc_bench_claims, only_threads_that_each_do_the_same_are_compared_by_their_number) {
  EXPECT_EQ(judge_claim(cache("thrash", "glibc", 0.5, "total"), "MB-3").result, verdict::undecided);
}

TEST(malloc_bench_claims, a_spread_needs_two_allocators) {
  EXPECT_EQ(judge_claim({churn("glibc", 1)}, "MB-1").result, verdict::undecided);
  // Places are compared one by one: other numbers of threads take other times.
  EXPECT_EQ(judge_claim({churn("glibc", 1), churn("jemalloc", 1), churn("glibc", 3, 4),
                         churn("jemalloc", 3, 4)},
                        "MB-1")
                .result,
            verdict::holds);
}

}  // namespace
}  // namespace mallard::lab
