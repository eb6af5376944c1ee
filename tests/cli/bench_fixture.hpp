// The benches as a user calls them.
#pragma once

#include <signal.h>

#include <chrono>
#include <thread>

#include "cli/command_fixture.hpp"
#include "lab/results/results.hpp"

namespace mallard {

class bench_command_test : public command_test {
 protected:
  lab::result_file load(const std::string& name) const { return lab::load_results(file(name)); }

  // Bad options are, before any file is made.
  void refused(const std::string& bench, const words& more, const std::string& message) const {
    expect_refused(words{"bench", bench, "--json", "new.jsonl"} + more, 2, message);
    EXPECT_FALSE(fs::exists(file("new.jsonl")));
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
