// The benches of extended allocators as a user calls them.
#include <set>

#include "cli/bench_fixture.hpp"

namespace mallard {
namespace {

using testing::HasSubstr;

using extended_command_test = bench_command_test;

std::set<std::string> columns_of(const lab::result_file& results) {
  std::set<std::string> columns;
  for (const auto& cell : results.cells) {
    columns.insert(lab::column_name(cell.strategy, cell.peer));
  }
  return columns;
}

// Each bench, so small that it takes a moment.
const std::vector<words> small_benches = {
    {"expand-forward", "--sizes", "3x100,2x10^2", "--type", "all"},
    {"expand-backward", "--sizes", "3x100"},
    {"shrink", "--sizes", "2x50"},
    {"burst", "--elements", "10^3", "--ranges", "10,100"},
    {"adaptive-pool", "--elements", "1000", "--ranges", "1,10"},
    {"realloc", "--bytes", "256k", "--rounds", "2"},
    {"mixed", "--live", "5-6", "--operations", "4"},
};

TEST_F(extended_command_test, each_bench_writes_what_show_export_and_report_read) {
  for (const words& bench : small_benches) {
    measured(words{"bench"} + bench + words{"--reps", "2"}, bench[0]);
    EXPECT_EQ(run({"report", bench[0] + ".jsonl", "--force", "-o", "out.html"}).status, 0);
  }
}

TEST_F(extended_command_test, without_boost_there_are_stds_containers_realloc_and_heaps) {
  const auto columns = [&](const std::string& bench, const words& more) {
    const words call = words{"bench", bench,     "--peers", "mallard,std", "--reps",
                             "1",     "--force", "--json",  "new.jsonl"};
    const ended result = run(call + more);
    EXPECT_EQ(result.status, 0) << result.err;
    return columns_of(load("new.jsonl"));
  };
  EXPECT_TRUE(columns("expand-forward", {"--sizes", "1x10"}).contains("std@std"));
  EXPECT_EQ(columns("mixed", {"--live", "4"}),
            (std::set<std::string>{"AS1@global", "heap@mallard", "pool@std"}));
  EXPECT_EQ(columns("realloc", {"--bytes", "64k"}),
            (std::set<std::string>{"realloc@global", "remap@mallard"}));
}

TEST_F(extended_command_test, columns_are_those_asked_for) {
  ASSERT_EQ(run({"bench", "mixed", "--live", "4", "--reps", "1", "--columns",
                 "heap@mallard,AS1@global", "--json", "new.jsonl"})
                .status,
            0);
  EXPECT_EQ(columns_of(load("new.jsonl")), (std::set<std::string>{"AS1@global", "heap@mallard"}));
}

TEST_F(extended_command_test, bad_options_are_refused_before_any_file_is_made) {
  refused("expand-forward", {"--sizes", "100"}, "--sizes: '100' is not containers x elements");
  refused("expand-forward", {"--sizes", "x"}, "--sizes: '' is not a number");
  refused("expand-forward", {"--sizes", "10x0"}, "--sizes: '0' is not a number from 1");
  refused("expand-forward", {"--sizes", "10x10^"}, "--sizes: '10^' is not a number");
  refused("expand-forward", {"--sizes", "10^90x10"}, "--sizes: '10^90' is not a number");
  refused("expand-forward", {"--sizes", "10^9x10^9"}, "more than 10^12 elements");
  refused("expand-forward", {"--sizes", "-1x5"}, "--sizes: '-1' is not a number");
  refused("expand-forward", {"--sizes", ""}, "--sizes: '' is not containers x elements");
  refused("expand-forward", {"--type", "double"}, "--type: unknown value 'double'");
  refused("expand-forward", {"--form", "crowded"}, "--form: unknown value 'crowded'");
  refused("expand-forward", {"--columns", "v3@mallard"}, "--columns: unknown value 'v3@mallard'");
  refused("expand-backward", {"--columns", "realloc@global"}, "--columns: unknown value 'realloc");
  refused("expand-backward", {"--form", "alone"}, "--form");
  refused("expand-forward", {"--columns", "realloc@global", "--type", "int"}, "nothing to measure");
  refused("shrink", {"--sizes", "5x5,,"}, "--sizes: '' is not containers x elements");
  refused("shrink", {"--peers", "nobody"}, "--peers: unknown value 'nobody'");
  refused("burst", {"--ranges", "1"}, "--ranges: '1' is not a number from 2");
  refused("burst", {"--elements", "1000", "--ranges", "7"}, "1000 elements are not so many ranges");
  refused("burst", {"--elements", "none"}, "--elements: 'none' is not a number");
  refused("burst", {"--container", "deque"}, "--container: unknown value 'deque'");
  refused("adaptive-pool", {"--ranges", "0"}, "--ranges: '0' is not a number from 1");
  refused("realloc", {"--steps", "x1"}, "--steps: 'x1' is neither a factor");
  refused("realloc", {"--steps", "x1.555"}, "--steps: 'x1.555' is neither a factor");
  refused("realloc", {"--steps", "x-2"}, "--steps: 'x-2' is neither a factor");
  refused("realloc", {"--steps", "+1"}, "--steps: '+1' is neither a factor");
  refused("realloc", {"--steps", "+much"}, "--steps: 'much' is not a number of bytes");
  refused("realloc", {"--steps", "2"}, "--steps: '2' is neither a factor");
  refused("realloc", {"--bytes", "1k"}, "--bytes: '1k' is not from 65536 to 1099511627776 bytes");
  refused("realloc", {"--rounds", "0"}, "--rounds");
  refused("mixed", {"--live", "40"}, "--live: unknown value '40'");
  refused("mixed", {"--low", "64k", "--high", "16"}, "blocks of 65536 to 16 bytes");
  refused("mixed", {"--low", "0"}, "--low: '0' is not from 1");
  refused("mixed", {"--operations", "0"}, "--operations");
  refused("mixed", {"--heap", "dusty"}, "--heap: unknown value 'dusty'");
}

TEST_F(extended_command_test, cells_that_exceed_the_memory_limit_fail_and_the_rest_goes_on) {
  const ended result =
      run({"bench", "realloc", "--bytes", "64k,1G", "--steps", "x2", "--columns", "realloc@global",
           "--rounds", "1", "--reps", "1", "--memory-limit", "512M", "--json", "new.jsonl"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("realloc@global (clean heap) failed: out of memory\n"));
  EXPECT_EQ(load("new.jsonl").cells.size(), 2U);
}

}  // namespace
}  // namespace mallard
