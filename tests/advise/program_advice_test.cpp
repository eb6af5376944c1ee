// Advice on a program, as a function: its phases, what it makes of them, what stops it.
#include "advise/program_advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/message_of.hpp"
#include "support/read_file.hpp"
#include "support/scratch_path.hpp"

namespace {

using namespace mallard::advise;
using testing::HasSubstr;

bool stopped = false;

class program_advice_test : public testing::Test {
 protected:
  program_advice_test() {
    stopped = false;
    request_.command = request_.runs = {ADVISED_PROGRAM, "400"};
    request_.quick = true;
    request_.output_aside = true;
    request_.replayer = MALLARD_COMMAND;
    request_.interrupted = [] { return stopped; };
    request_.begins = [this](std::string_view phase, double seconds) {
      phases_.emplace_back(phase);
      seconds_.push_back(seconds);
    };
  }
  std::string complaint() {
    return mallard_test::message_of<std::exception>([&] { program_advice(request_).give(); });
  }

  program_request request_;
  std::vector<std::string> phases_;
  std::vector<double> seconds_;
};

TEST_F(program_advice_test, times_records_reads_and_lets_all_ways_race) {
  program_advice advice(request_);
  const auto report = advice.give();
  ASSERT_TRUE(report);
  // The second look, if a malloc and a resource gain both.
  if (phases_.size() == 6) {
    EXPECT_EQ(phases_.back(), "trying the best resource beside the best malloc");
    phases_.pop_back();
  }
  ASSERT_EQ(phases_.size(), 5u);
  EXPECT_THAT(phases_[0], HasSubstr("timing"));
  // Before the time of the others is planned.
  EXPECT_THAT(phases_[1], HasSubstr("sampling"));
  EXPECT_THAT(phases_[2], HasSubstr("recording"));
  EXPECT_THAT(phases_[3], HasSubstr("reading"));
  EXPECT_THAT(phases_[4], HasSubstr("trying"));
  EXPECT_GT(seconds_[1], 0);
  EXPECT_GT(seconds_[2], 0);
  EXPECT_GT(seconds_[4], 0);
  EXPECT_LE(seconds_[4], 68);  // three times the program's and 65 s
  EXPECT_TRUE(report->on_the_program);
  EXPECT_GE(report->program_runs, 10u);
  EXPECT_EQ(report->command, request_.command);
  ASSERT_FALSE(report->advices.empty());
  EXPECT_TRUE(std::filesystem::exists(advice.trace_file()));
}

TEST_F(program_advice_test, a_long_program_is_not_judged_by_its_start_alone) {
  request_.command = request_.runs = {ADVISED_PROGRAM, "8000", "0", "6000"};
  request_.most_events = 6000;
  const mallard::scratch_file first("first");
  request_.keep = first.path();
  program_advice advice(request_);
  const auto report = advice.give();
  ASSERT_TRUE(report);
  EXPECT_EQ(mallard_test::read_file(advice.trace_file()), mallard_test::read_file(request_.keep))
      << "the figures are of the start, whatever was recorded later";
  EXPECT_THAT(phases_, testing::Contains(HasSubstr("from its middle on")));
  bool knows_requests = false;
  const auto look = [&](const candidate& one) {
    knows_requests =
        knows_requests || one.where.function.find("handle_request") != std::string::npos;
  };
  for (const mallard::advise::advice& one : report->advices) look(one.from);
  for (const considered& one : report->others) look(one.from);
  EXPECT_TRUE(knows_requests);
}

TEST_F(program_advice_test, an_interrupt_while_the_middle_is_recorded_ends_it) {
  request_.command =
      request_.runs = {"/bin/sh", "-c", ADVISED_PROGRAM " 8000 0 6000; sleep 1; true"};
  request_.most_events = 6000;
  signal(SIGINT, [](int) {});
  std::jthread user;
  request_.begins = [&](std::string_view phase, double) {
    phases_.emplace_back(phase);
    if (phase.find("middle") == phase.npos) return;
    user = std::jthread([] {
      usleep(300'000);
      kill(getpid(), SIGINT);
    });
  };
  EXPECT_FALSE(program_advice(request_).give());
  EXPECT_THAT(phases_.back(), HasSubstr("from its middle on"));
  signal(SIGINT, SIG_DFL);
}

TEST_F(program_advice_test, once_runs_it_once_and_replays) {
  request_.once = true;
  const auto report = program_advice(request_).give();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->program_runs, 1u);
  EXPECT_FALSE(report->on_the_program);
  // So short a program may have nothing to replay.
  ASSERT_EQ(phases_.size(), 2u);
  EXPECT_THAT(phases_[0], HasSubstr("recording"));
  EXPECT_THAT(phases_[1], HasSubstr("replaying"));
}

TEST_F(program_advice_test, is_silent_and_reads_no_more_once_it_is_interrupted) {
  request_.begins = [this](std::string_view phase, double) {
    phases_.emplace_back(phase);
    if (phase.starts_with("reading")) stopped = true;
  };
  EXPECT_FALSE(program_advice(request_).give());
  EXPECT_EQ(phases_.back(), "reading the recording");
}

TEST_F(program_advice_test, says_in_one_line_what_cannot_be_advised) {
  request_.command = request_.runs = {"/bin/false"};
  request_.is_driven = true;
  EXPECT_THAT(complaint(), HasSubstr("/bin/false: the load failed"));
  request_.command = request_.runs = {"/nowhere/program"};
  EXPECT_THAT(complaint(), HasSubstr("/nowhere/program: No such file"));
}

}  // namespace
