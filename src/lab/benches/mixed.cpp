// Live blocks of all sizes, of which random ones are replaced.
#include <fmt/format.h>

#include "lab/kernels/array_bench.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

constexpr std::uint64_t most_block_bytes = 1 << 30;

bool is_range(const place& at) {
  if (at.number("low") <= at.number("high")) return true;
  throw usage_error(fmt::format("blocks of {} to {} bytes are not 1 to 1G, the smaller first",
                                at.number("low"), at.number("high")));
}

mixed_work work_at(const place& at) {
  const std::uint64_t live = power_of(at, "live");
  return {live, live * count_of(at, "operations"), count_of(at, "low"), count_of(at, "high"),
          count_of(at, "seed")};
}

}  // namespace

bench make_mixed() {
  return {
      .name = "mixed",
      .summary = "Blocks of all sizes, of which random ones are replaced",
      .title = "Blocks of all sizes",
      .contenders = columns_with(find_mixed_kernel),
      .axes = {integers("live", "10,12,14", "log2 of the blocks there are", 0, 30).quickly("10,12"),
               bytes("low", "16", "Bytes of the smallest blocks", 1, most_block_bytes),
               bytes("high", "64k", "Bytes of the largest ones", 1, most_block_bytes),
               integers("operations", "128", "Replacements for each block that is there", 1,
                        1'000'000)
                   .quickly("16")
                   .parameter()},
      .kernel =
          [](const contender& who, const place& at) {
            return make_task(find_mixed_kernel(column_of(who)), work_at(at));
          },
      .measures = {time_measure(), peak_measure()},
      .figures = {milliseconds(), mebibytes("peak resident set, MiB", "rss")},
      .table = {.rows = {"live", "low", "high"}, .columns = across::columns, .base = "std@boost"},
      .expected_seconds =
          [](const place& at) { return 500e-9 * static_cast<double>(work_at(at).operations); },
      .accept = is_range,
      .page = {.logarithms = {"live"}},
  };
}

}  // namespace mallard::lab
