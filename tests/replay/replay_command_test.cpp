// `mallard replay` as a user calls it, on traces with known answers.
#include "cli/command_fixture.hpp"
#include "lab/results/results.hpp"
#include "profile/trace_script.hpp"

namespace {

using namespace mallard;
using testing::HasSubstr;
using testing::Not;

class replay_command_test : public command_test {
 protected:
  // Requests whose blocks die with them, and a table that only grows.
  void SetUp() override {
    profile::trace_script script(file("t.mallard").string());
    script.call("main", 1, [&] {
      for (int request = 0; request < 50; ++request) {
        script.call("table", 2, [&] { script.allocate(3, 200); });
        script.call("handle", 4, [&] {
          std::vector<std::uint64_t> blocks;
          for (std::uint64_t i = 0; i < 100; ++i) blocks.push_back(script.allocate(5, 16 + i));
          for (const std::uint64_t one : blocks) script.free(6, one);
        });
      }
    });
    script.finish();
  }
  const words little_ = {"--peers",       "mallard", "--mallocs",    "none",
                         "--repetitions", "2",       "--touch",      "first",
                         "--json",        "r.jsonl", "--strategies", "AS2,AS3,AS7,AS8,AS12"};

  const lab::cell_result* find(const lab::result_file& from, const std::string& subsystem,
                               const std::string& strategy) const {
    for (const lab::cell_result& cell : from.cells) {
      if (cell.at.word("subsystem") == subsystem && cell.strategy == strategy) return &cell;
    }
    return nullptr;
  }
};

TEST_F(replay_command_test, says_what_it_replays_and_writes_a_result_file) {
  const ended result = run(words{"replay", "t.mallard", "--only", "(all),handle"} + little_);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Replaying 10050 heap operations"));
  EXPECT_THAT(result.out, HasSubstr("handle: 10000 operations"));
  EXPECT_THAT(result.out, HasSubstr("ended by 50 returns of it"));
  EXPECT_THAT(result.out, HasSubstr("ns an operation"));
  const lab::result_file file = lab::load_results(this->file("r.jsonl"));
  EXPECT_EQ(file.run.bench, "replay");
  for (const char* strategy : {"AS1", "AS2", "AS3", "AS7", "AS8", "AS12", "nothing"}) {
    const lab::cell_result* const cell = find(file, "handle", strategy);
    ASSERT_NE(cell, nullptr) << strategy;
    EXPECT_TRUE(cell->ok()) << cell->error;
    EXPECT_EQ(cell->find("replay")->samples.size(), 2u);
    // The number of operations that were carried out.
    EXPECT_EQ(std::stoull(cell->checksum, nullptr, 16), 10050u) << strategy;
  }
  EXPECT_NE(find(file, "(all)", "loop"), nullptr);
}

TEST_F(replay_command_test, its_results_are_read_by_every_other_command) {
  ASSERT_EQ(run(words{"replay", "t.mallard", "--only", "handle"} + little_).status, 0);
  for (const words& call : {words{"show", "r.jsonl"}, words{"compare", "r.jsonl", "r.jsonl"},
                            words{"export", "r.jsonl", "--csv", "-o", "r.csv"},
                            words{"report", "r.jsonl", "-o", "r.html"}}) {
    const ended result = run(call);
    EXPECT_EQ(result.status, 0) << call[0] << ": " << result.err;
  }
}

TEST_F(replay_command_test, says_why_a_contender_has_no_figure) {
  profile::trace_script script(file("threads.mallard").string());
  std::vector<std::uint64_t> passed;
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    script.on_thread(turn % 2);
    script.call("exchange", 1, [&] {
      for (const std::uint64_t one : passed) script.free(2, one);
      passed.clear();
      for (int i = 0; i < 20; ++i) passed.push_back(script.allocate(3, 64));
    });
  }
  script.finish();
  const ended result = run(words{"replay", "threads.mallard", "--only", "(all)"} + little_ +
                           words{"--heap", "clean"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("no figure for AS12@mallard, AS3@mallard, AS7@mallard, "
                                    "AS8@mallard: 380 of 400 blocks are freed by another thread"));
}

TEST_F(replay_command_test, refuses_what_cannot_be_replayed_in_one_line) {
  expect_refused(words{"replay", "t.mallard", "--only", "handel"}, 2, "the nearest are handle");
  expect_refused(words{"replay", "t.mallard", "--touch", "some"}, 2,
                 "--touch: unknown value 'some'");
  expect_refused(words{"replay", "t.mallard", "--order", "none"}, 2,
                 "--order: unknown value 'none'");
  expect_refused(words{"replay", "t.mallard", "--strategies", "AS3n", "--peers", "mallard"}, 2,
                 "--strategies: unknown value 'AS3n'");
  expect_refused(words{"replay", "t.mallard", "--by", "resource"}, 2,
                 "--by: unknown value 'resource'");
  expect_refused(words{"replay", "none.mallard"}, 1, "none.mallard");
  EXPECT_FALSE(fs::exists(file("results")));
}

TEST_F(replay_command_test, a_result_file_is_not_replaced_unasked) {
  std::ofstream(file("r.jsonl")) << "mine\n";
  expect_refused(words{"replay", "t.mallard"} + little_, 1, "r.jsonl");
  EXPECT_EQ(read_file(file("r.jsonl")), "mine\n");
}

}  // namespace
