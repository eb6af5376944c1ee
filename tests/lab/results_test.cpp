// Result files: what is written can be read, and what cannot be read is refused with its line.
#include "lab/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cells.hpp"

namespace mallard::lab {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class ResultFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  std::string complaint(const std::string& text) const {
    write(text);
    try {
      load_results(path_);
    } catch (const std::runtime_error& problem) {
      const std::string message = problem.what();
      EXPECT_EQ(message.find('\n'), message.npos);
      EXPECT_TRUE(message.starts_with(path_.string())) << message;
      return message.substr(path_.string().size());
    }
    return "no complaint";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("results_test_") +
       testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl");
  const std::string run_ = to_line(make_run()) + "\n";
  const cell_result cell_ = make_cell("DS2", 6, "AS7", "mallard", "aged", 0.25);
};

TEST_F(ResultFile, RunSurvivesWritingAndReading) {
  const run_info expected = make_run();
  const run_info run = load_results(write(run_)).run;
  EXPECT_EQ(to_line(run), to_line(expected));
  EXPECT_EQ(run.machine.cpu, expected.machine.cpu);
  EXPECT_EQ(run.machine.memory_bytes, expected.machine.memory_bytes);
  EXPECT_EQ(run.build.flags, expected.build.flags);
  EXPECT_EQ(run.scale, expected.scale);
  EXPECT_EQ(run.heaps, expected.heaps);
  ASSERT_EQ(run.peers.size(), 1U);
  EXPECT_EQ(run.peers[0].version, "libstdc++ 12");
  ASSERT_EQ(run.skipped.size(), 1U);
  EXPECT_EQ(run.skipped[0].reason, "not found");
}

TEST_F(ResultFile, CellSurvivesWritingAndReading) {
  const result_file file = load_results(write(run_ + to_line(cell_) + "\n"));
  ASSERT_EQ(file.cells.size(), 1U);
  const cell_result& read = file.cells.front();
  EXPECT_EQ(to_line(read), to_line(cell_));
  EXPECT_EQ(read.key, cell_.key);
  EXPECT_EQ(read.seconds, cell_.seconds);
  EXPECT_EQ(read.rss_bytes, cell_.rss_bytes);
  EXPECT_EQ(read.major_faults, cell_.major_faults);
  EXPECT_EQ(read.runs, cell_.runs);
  EXPECT_TRUE(read.ok());
  EXPECT_TRUE(file.warnings.empty());
}

TEST_F(ResultFile, FailedCellKeepsItsReasonAndHasNoFigures) {
  cell_result failed = cell_;
  failed.error = "killed by signal 11 (Segmentation fault)";
  const result_file file = load_results(write(run_ + to_line(failed) + "\n"));
  ASSERT_EQ(file.cells.size(), 1U);
  EXPECT_FALSE(file.cells[0].ok());
  EXPECT_EQ(file.cells[0].error, failed.error);
  EXPECT_TRUE(file.cells[0].seconds.empty());
}

TEST_F(ResultFile, LaterLineOfTheSameCellCounts) {
  cell_result again = cell_;
  again.median = 0.2501;
  const auto file = load_results(write(run_ + to_line(cell_) + "\n" + to_line(again) + "\n"));
  ASSERT_EQ(file.cells.size(), 1U);
  EXPECT_EQ(file.cells[0].median, 0.2501);
}

TEST_F(ResultFile, CutOffLastLineIsAWarning) {
  const std::string cell = to_line(cell_);
  const auto file = load_results(write(run_ + cell + "\n" + cell.substr(0, cell.size() / 2)));
  EXPECT_EQ(file.cells.size(), 1U);
  ASSERT_EQ(file.warnings.size(), 1U);
  EXPECT_THAT(file.warnings[0], HasSubstr(":3: the last line is cut off"));
}

TEST_F(ResultFile, LastLineWithoutNewlineCountsWhenItIsComplete) {
  const auto file = load_results(write(run_ + to_line(cell_)));
  EXPECT_EQ(file.cells.size(), 1U);
  EXPECT_TRUE(file.warnings.empty());
}

TEST_F(ResultFile, MalformedLineInTheMiddleIsRefusedWithItsNumber) {
  EXPECT_EQ(complaint(run_ + "{\"kind\":\"ce\n" + to_line(cell_) + "\n"), ":2: not valid JSON");
  EXPECT_EQ(complaint(run_ + "7\n"), ":2: a JSON object is expected");
  EXPECT_EQ(complaint(run_ + "{\"kind\":\"cow\"}\n"), ":2: unknown kind 'cow'");
  EXPECT_EQ(complaint(run_ + run_), ":2: a second 'run' line");
}

TEST_F(ResultFile, FileWithoutRunLineIsNotAResultFile) {
  EXPECT_THAT(complaint(""), EndsWith("not a result file"));
  EXPECT_EQ(complaint(to_line(cell_) + "\n"), ":1: the first line must be of kind 'run'");
  EXPECT_EQ(complaint("garbage\n"), ":1: not valid JSON");
  EXPECT_EQ(complaint("garbage"), ":1: not valid JSON");
}

TEST_F(ResultFile, UnknownSchemaIsRefused) {
  std::string run = run_;
  run.replace(run.find("\"schema\":1"), 10, "\"schema\":2");
  EXPECT_THAT(complaint(run), HasSubstr(":1: schema 2 is not known"));
}

TEST_F(ResultFile, EveryMissingOrMistypedMemberIsNamed) {
  const auto without = [&](const std::string& text) {
    std::string cell = to_line(cell_);
    const auto at = cell.find(text);
    EXPECT_NE(at, cell.npos) << text;
    return run_ + cell.erase(at, text.size()) + "\n";
  };
  EXPECT_EQ(complaint(without("\"ds\":\"DS2\",")), ":2: 'ds' is missing");
  EXPECT_EQ(complaint(without("\"median\":0.25,")), ":2: 'median' is missing");
  std::string cell = to_line(cell_);
  cell.replace(cell.find("\"size\":6"), 8, "\"size\":\"six\"");
  EXPECT_EQ(complaint(run_ + cell + "\n"), ":2: 'size' has the wrong type");
}

TEST_F(ResultFile, IntegersAreIntegersAndInRange) {
  const auto with_size = [&](const std::string& size) {
    std::string cell = to_line(cell_);
    cell.replace(cell.find("\"size\":6"), 8, "\"size\":" + size);
    return complaint(run_ + cell + "\n");
  };
  for (const char* size :
       {"6.5", "4093333333333333333336", "1e300", "99999999999", "-99999999999"}) {
    EXPECT_EQ(with_size(size), ":2: 'size' has the wrong type") << size;
  }
  std::string cell = to_line(cell_);
  const auto at = cell.find("\"rss_bytes\":[") + 13;
  cell.insert(at, "1e30,");
  EXPECT_EQ(complaint(run_ + cell + "\n"), ":2: 'rss_bytes' has the wrong type");
}

TEST_F(ResultFile, ImpossibleFiguresAndNamesAreRefused) {
  cell_result cell = cell_;
  cell.seconds.clear();
  EXPECT_EQ(complaint(run_ + to_line(cell) + "\n"), ":2: 'seconds' is empty");
  cell = cell_;
  cell.median = -1;
  EXPECT_THAT(complaint(run_ + to_line(cell) + "\n"), HasSubstr("must be positive"));
  cell = cell_;
  cell.key.ds = "DS13";
  EXPECT_EQ(complaint(run_ + to_line(cell) + "\n"), ":2: unknown data structure 'DS13'");
  cell = cell_;
  cell.key.strategy = "AS15";
  EXPECT_EQ(complaint(run_ + to_line(cell) + "\n"), ":2: unknown strategy 'AS15'");
}

TEST_F(ResultFile, FileThatIsNotThereOrADirectoryCannotBeRead) {
  EXPECT_THROW(load_results("/no/such/file"), std::runtime_error);
  EXPECT_THROW(load_results(testing::TempDir()), std::runtime_error);
}

}  // namespace
}  // namespace mallard::lab
