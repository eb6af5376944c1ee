// Benchmark III: only a small part of the allocated memory is in use at a time.
#include <fmt/format.h>

#include "lab/kernels/strategy_bench.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

utilization_work work_at(const place& at) {
  utilization_work work;
  work.blocks = power(2, at.number("total") - at.number("block"));
  work.active_blocks = power(2, at.number("active") - at.number("block"));
  work.block_bytes = power_of(at, "block");
  return work;
}

bool fits(const place& at) {
  const std::int64_t total = at.number("total");
  const std::int64_t active = at.number("active");
  const std::int64_t block = at.number("block");
  if (block <= active && active <= total) return true;
  throw usage_error(fmt::format(
      "a block (2^{}) must fit into what is active (2^{}), and that into the total (2^{})", block,
      active, total));
}

// The rows of the paper's tables: first more memory in use with small blocks, then larger blocks.
axis_text paper_blocks(const char* with_most_active) {
  return [=](const place& before) -> std::string {
    return before.number("active") == 20 ? with_most_active : "10";
  };
}

}  // namespace

bench make_utilization() {
  return {
      .name = "utilization",
      .summary = "Benchmark III: a small part of the memory asked for is in use at one time",
      .title = "Utilization: little memory in use at once",
      .contenders = strategies_of("AS1-AS3,AS5,AS7,AS9,AS11,AS13"),
      .axes = {integers("total", "28", "log2 of the bytes allocated over all, like 28,30-33", 10,
                        45)
                   .quickly("26"),
               integers("active", "15-20", "log2 of the bytes in use at one time", 4, 40)
                   .quickly("15,20")
                   .said("the paper's rows"),
               integers("block", "", "log2 of the bytes of a block", 4, 30)
                   .defaults(paper_blocks("10-15"))
                   .quickly(paper_blocks("10,12,15"))
                   .said("the paper's rows")},
      .kernel =
          [](const contender& who, const place& at) {
            return make_task(find_utilization_kernel(column_of(who)), work_at(at));
          },
      .measures = {time_measure(), peak_measure()},
      .figures = {{.title = "ns per block",
                   .measure = "time",
                   .scale = 1e9,
                   .per =
                       [](const place& at) {
                         return static_cast<double>(
                             power(2, at.number("total") - at.number("block")));
                       }},
                  mebibytes("peak resident set, MiB", "rss")},
      .table = {.rows = {"total", "active", "block"}},
      .expected_seconds =
          [](const place& at) { return 100e-9 * static_cast<double>(work_at(at).blocks); },
      .accept = fits,
      .limits_memory = true,
      .page =
          {.section =
               {.text =
                    "Benchmark III: “total” bytes are allocated in blocks, of which no more than "
                    "“active” bytes are in use at any time; the oldest block is freed before "
                    "the next is allocated. AS1 in seconds, the others in percent of it, as "
                    "the paper prints them: below 100 is faster. The paper’s failures come from "
                    "an address space limited to 5 GB.",
                .order = 30,
                .method =
                    {{.title = "Utilization",
                      .paragraphs =
                          {"Percentages are of AS1 in the same row, as the paper prints them. "
                           "The original’s failures come from an address space limited to "
                           "5 GB, which it does not say: without that limit its cells ran to "
                           "the end."}}}},
           .cards = {{.view = page_view::percentages,
                      .published = "benchmark3_as1_seconds_others_percent",
                      .rows = {"total", "active", "block"}}},
           .headlines = {multipool_gain("Utilization", "where memory is used again and again",
                                        "time")},
           .logarithms = {"total", "active", "block"}},
  };
}

}  // namespace mallard::lab
