// Cells of a series: their text form, and the summary of their samples.
#include "lab/series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cells.hpp"

namespace mallard::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SeriesFile : public testing::Test {
 protected:
  result_file load(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << run_ << text;
    return load_results(path_);
  }
  std::string complaint(const std::string& line) const {
    try {
      load(line + "\n");
    } catch (const std::runtime_error& problem) {
      return std::string(problem.what()).substr(path_.string().size());
    }
    return "no complaint";
  }
  // The good cell's line with one part of it replaced.
  std::string changed(const std::string& before, const std::string& after) const {
    std::string line = to_line(cell_);
    const auto at = line.find(before);
    EXPECT_NE(at, line.npos) << before;
    return line.replace(at, before.size(), after);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("series_test_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  const std::string run_ = to_line(make_series_run()) + "\n";
  const series_cell cell_ = make_series_cell(8, "AS7", "mallard", "aged", 0.25);
};

TEST_F(SeriesFile, CellSurvivesWritingAndReading) {
  const result_file file = load(to_line(cell_) + "\n");
  EXPECT_TRUE(file.cells.empty());
  ASSERT_EQ(file.series.size(), 1U);
  const series_cell& read = file.series.front();
  EXPECT_EQ(read.key(), cell_.key());
  EXPECT_EQ(read.measures, cell_.measures);
  EXPECT_TRUE(read.ok());
  EXPECT_EQ(to_line(read), to_line(cell_));
  EXPECT_EQ(to_string(read.at.at("subsystem")), "8");
  EXPECT_EQ(to_string(read.at.at("variant")), "code");
}

TEST_F(SeriesFile, RunKeepsItsParametersAndItsMallocAndHasNoLeaves) {
  run_info run = make_series_run();
  run.malloc = "jemalloc";
  std::ofstream(path_) << to_line(run) << "\n";
  const run_info read = load_results(path_).run;
  EXPECT_EQ(read.parameters, run.parameters);
  EXPECT_EQ(read.malloc, "jemalloc");
  EXPECT_THAT(run_, testing::Not(HasSubstr("leaves")));
}

TEST_F(SeriesFile, FilesFromBeforeSayNothingOfMallocAndWereMeasuredOnGlibcs) {
  std::string run = run_;
  const std::string member = ",\"malloc\":\"glibc\"";
  run.erase(run.find(member), member.size());
  std::ofstream(path_) << run;
  EXPECT_EQ(load_results(path_).run.malloc, "glibc");
}

TEST_F(SeriesFile, FailedCellKeepsItsReasonAndHasNoMeasures) {
  series_cell failed = cell_;
  failed.error = "out of memory";
  const result_file file = load(to_line(failed) + "\n");
  ASSERT_EQ(file.series.size(), 1U);
  EXPECT_EQ(file.series[0].error, "out of memory");
  EXPECT_TRUE(file.series[0].measures.empty());
}

TEST_F(SeriesFile, CellsThatDifferInOneCoordinateAreTwoAndLaterLinesOfOneCount) {
  series_cell other = cell_;
  other.at["accesses"] = 16;
  series_cell again = cell_;
  again.measures.erase("rss");
  series_cell preloaded = cell_;
  preloaded.malloc = "jemalloc";
  const result_file file = load(to_line(cell_) + "\n" + to_line(other) + "\n" + to_line(again) +
                                "\n" + to_line(preloaded) + "\n");
  ASSERT_EQ(file.series.size(), 3U);
  EXPECT_EQ(file.series[0].find("rss"), nullptr);
  EXPECT_NE(file.series[1].find("rss"), nullptr);
}

TEST_F(SeriesFile, WhatIsMissingOrOfTheWrongTypeIsNamed) {
  EXPECT_EQ(complaint(changed("\"strategy\":\"AS7\",", "")), ":2: 'strategy' is missing");
  EXPECT_EQ(complaint(changed("\"at\":{", "\"there\":{")), ":2: 'at' is missing");
  EXPECT_EQ(complaint(changed("\"subsystem\":8", "\"subsystem\":8.5")),
            ":2: 'subsystem' is neither an integer nor a string");
  EXPECT_EQ(complaint(changed("\"subsystem\":8", "\"subsystem\":9999999999999999999")),
            ":2: 'subsystem' is too large");
  EXPECT_EQ(complaint(changed("\"unit\":\"s\",", "")), ":2: 'unit' is missing");
  EXPECT_EQ(complaint(changed("\"status\":\"ok\"", "\"status\":\"fine\"")),
            ":2: unknown status 'fine'");
}

TEST_F(SeriesFile, ImpossibleFiguresAreRefused) {
  series_cell cell = cell_;
  cell.measures["rss"].samples.clear();
  EXPECT_EQ(complaint(to_line(cell)), ":2: 'rss' has no samples");
  cell = cell_;
  cell.measures["rss"].ci_low = 2e9;
  EXPECT_THAT(complaint(to_line(cell)), HasSubstr("'rss' must be positive and in order"));
  cell = cell_;
  cell.measures.clear();
  EXPECT_EQ(complaint(to_line(cell)), ":2: 'measures' is empty");
}

TEST(Summarise, IsTheMedianAndAnIntervalThatHoldsIt) {
  const measure one = summarise("s", {3, 1, 2}, 7);
  EXPECT_EQ(one.median, 2);
  EXPECT_LE(one.ci_low, 2);
  EXPECT_GE(one.ci_high, 2);
  EXPECT_THAT(one.samples, ElementsAre(3, 1, 2));
  EXPECT_EQ(one, summarise("s", {3, 1, 2}, 7));
}

}  // namespace
}  // namespace mallard::lab
