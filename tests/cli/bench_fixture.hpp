// The benches as a user calls them.
#pragma once

#include <signal.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "cli/command_fixture.hpp"
#include "lab/results/results.hpp"

namespace mallard {

struct measured_bench {
  lab::result_file results;
  std::string errors;  // printed meanwhile
};

class bench_command_test : public command_test {
 protected:
  lab::result_file load(const std::string& name) const { return lab::load_results(file(name)); }

  // Bad options are, before any file is made.
  void refused(const std::string& bench, const words& more, const std::string& message) const {
    expect_refused(words{"bench", bench, "--json", "new.jsonl"} + more, 2, message);
    EXPECT_FALSE(fs::exists(file("new.jsonl")));
  }

  // Runs a bench, which prints the title, into "BENCH.jsonl": its cells are good and differ, and
  // other commands read them.
  measured_bench measured(const words& call, const std::string& title) const {
    const std::string& bench = call.at(1);
    const std::string name = bench + ".jsonl";
    const ended result = run(call + words{"--json", name});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, testing::HasSubstr(title));
    EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("FAIL")));
    EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("\033")));
    lab::result_file results = load(name);
    EXPECT_EQ(results.run.bench, bench);
    std::set<lab::cell_key> keys;
    for (const lab::cell_result& cell : results.cells) {
      EXPECT_TRUE(cell.ok()) << cell.error;
      EXPECT_TRUE(cell.bench == bench || cell.bench == bench + "-series") << cell.bench;
      keys.insert(cell.key());
    }
    EXPECT_FALSE(keys.empty()) << name;
    EXPECT_EQ(keys.size(), results.cells.size()) << name;
    EXPECT_THAT(run({"show", name, "--color", "never"}).out, testing::HasSubstr(title)) << name;
    EXPECT_EQ(run({"export", name, "--csv", "--force", "-o", "out.csv"}).status, 0) << name;
    return {std::move(results), result.err};
  }
  // Once it measures.
  void interrupt(const words& call, std::chrono::milliseconds later) const {
    const pid_t child = start(call);
    // The first line is there when it does.
    for (int i = 0; i < 500 && read_file(file("new.jsonl")).empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(later);
    kill(child, SIGINT);
    const ended result = finish(child);
    EXPECT_EQ(result.status, 130);
    EXPECT_THAT(result.err, testing::HasSubstr("--json new.jsonl --resume"));
  }
};

}  // namespace mallard
