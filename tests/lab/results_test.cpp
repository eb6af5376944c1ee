// Result files: what is written can be read, and what cannot be read is refused with its line.
#include "lab/results/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cells.hpp"
#include "support/scratch_path.hpp"

namespace mallard::lab {
namespace {

using testing::ElementsAre;
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

  const std::filesystem::path path_ = scratch_path("results.jsonl");
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
  EXPECT_EQ(run.parameters, expected.parameters);
  EXPECT_EQ(run.heaps, expected.heaps);
  ASSERT_EQ(run.peers.size(), 1U);
  EXPECT_EQ(run.peers[0].version, "libstdc++ 12");
  ASSERT_EQ(run.skipped.size(), 1U);
  EXPECT_EQ(run.skipped[0].reason, "not found");
}

TEST_F(ResultFile, WhatIsSaidOfBenchesSurvivesAndTellsDirectionsOfMeasures) {
  run_info said = make_run();
  said.benches["density"] = {
      .title = "Density: how dense",
      .summary = "A bench",
      .main = "rss",
      .measures = {{"time", "s", "Speed", better::more}, {"rss", "B", "Size"}}};
  const result_file file = load_results(write(to_line(said) + "\n" + to_line(cell_) + "\n"));
  EXPECT_EQ(file.run.benches, said.benches);
  EXPECT_EQ(file.cells.at(0).find("time")->which, better::more);
  // A file written before says nothing of them.
  EXPECT_EQ(load_results(write(run_ + to_line(cell_) + "\n")).cells.at(0).find("time")->which,
            std::nullopt);
}

TEST_F(ResultFile, NonsenseAboutBenchesIsRefusedWithItsLine) {
  const auto with = [&](const std::string& benches) {
    std::string line = run_;
    line.insert(line.rfind('}'), ",\"benches\":" + benches);
    return complaint(line);
  };
  EXPECT_EQ(with("[]"), ":1: 'benches' has the wrong type");
  EXPECT_EQ(with(R"({"b":3})"), ":1: what is said of a bench must be an object");
  EXPECT_EQ(with(R"({"b":{}})"), ":1: 'title' is missing");
  EXPECT_EQ(with(R"({"b":{"title":"B","measures":3}})"), ":1: 'measures' has the wrong type");
  EXPECT_EQ(with(R"({"b":{"title":"B","measures":{"t":3}}})"), ":1: 't' has the wrong type");
  EXPECT_EQ(with(R"({"b":{"title":"B","measures":{"t":{"unit":"s","better":"up"}}}})"),
            ":1: 'better' is neither more nor less: 'up'");
}

TEST_F(ResultFile, CellSurvivesWritingAndReading) {
  const result_file file = load_results(write(run_ + to_line(cell_) + "\n"));
  ASSERT_EQ(file.cells.size(), 1U);
  const cell_result& read = file.cells.front();
  EXPECT_EQ(to_line(read), to_line(cell_));
  EXPECT_EQ(read.key(), cell_.key());
  EXPECT_EQ(read.measures, cell_.measures);
  EXPECT_EQ(read.checksum, cell_.checksum);
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
  EXPECT_TRUE(file.cells[0].measures.empty());
}

TEST_F(ResultFile, LaterLineOfTheSameCellCounts) {
  cell_result again = cell_;
  again.measures["time"].median = 0.2501;
  const auto file = load_results(write(run_ + to_line(cell_) + "\n" + to_line(again) + "\n"));
  ASSERT_EQ(file.cells.size(), 1U);
  EXPECT_EQ(file.cells[0].median_of("time"), 0.2501);
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
  for (const char* schema : {"0", "3"}) {
    std::string run = run_;
    run.replace(run.find("\"schema\":2"), 10, std::string("\"schema\":") + schema);
    EXPECT_THAT(complaint(run), HasSubstr(std::string(":1: schema ") + schema + " is not known"));
  }
}

// A line as the first schema had it, which is read for good.
constexpr const char* first_cell =
    R"({"kind":"cell","bench":"density","ds":"DS2","size":6,"strategy":"AS7","peer":"mallard",)"
    R"("heap":"aged","mode":"fair","status":"ok","seconds":[0.5,0.25],"median":0.375,)"
    R"("ci_low":0.25,"ci_high":0.5,"setup_seconds":[0.1,0.2],"rss_bytes":[1000,2000],)"
    R"("minor_faults":[1,2],"major_faults":[0,0],"leaves":1000,"runs":12,"checksum":"ff"})";

class FirstSchema : public ResultFile {
 protected:
  // Of a file of that schema with the cell, of which one part is replaced.
  static std::string with(const std::string& before, const std::string& after) {
    std::string run = to_line(make_run());
    run.replace(run.find("\"schema\":2"), 10, "\"schema\":1");
    run.replace(run.find("\"repetitions\""), 13, R"("scale":0.5,"leaves":1000,"repetitions")");
    std::string cell = first_cell;
    const auto at = cell.find(before);
    EXPECT_NE(at, cell.npos) << before;
    return run + "\n" + cell.replace(at, before.size(), after) + "\n";
  }
};

TEST_F(FirstSchema, CellsOfDensityBecomeCellsOfToday) {
  const result_file file = load_results(write(with("ff", "ff")));
  EXPECT_EQ(file.run.parameters.number("leaves"), 1000);
  EXPECT_EQ(file.run.parameters.real("scale"), 0.5);
  ASSERT_EQ(file.cells.size(), 1U);
  const cell_result& cell = file.cells[0];
  EXPECT_EQ(cell.at, (place{{"ds", "DS2"}, {"size", 6}}));
  EXPECT_EQ(column_name(cell.strategy, cell.peer), "AS7@mallard");
  EXPECT_EQ(cell.heap, "aged");
  EXPECT_EQ(cell.malloc, "glibc");
  EXPECT_EQ(cell.checksum, "ff");
  EXPECT_DOUBLE_EQ(cell.median_of("time"), 0.375e-3) << "of one leaf insertion";
  EXPECT_DOUBLE_EQ(cell.find("time")->samples[0], 0.5e-3);
  EXPECT_EQ(cell.median_of("rss"), 1500);
  EXPECT_EQ(cell.median_of("runs"), 12);
  EXPECT_EQ(cell.median_of("minor_faults"), 1.5);
}

TEST_F(FirstSchema, EveryMissingOrMistypedMemberIsNamed) {
  EXPECT_EQ(complaint(with("\"size\":6,", "")), ":2: 'size' is missing");
  EXPECT_EQ(complaint(with("\"median\":0.375,", "")), ":2: 'median' is missing");
  EXPECT_EQ(complaint(with("\"size\":6", "\"size\":\"six\"")), ":2: 'size' has the wrong type");
  for (const char* size : {"6.5", "4093333333333333333336", "1e300"}) {
    EXPECT_EQ(complaint(with("\"size\":6", std::string("\"size\":") + size)),
              ":2: 'size' has the wrong type")
        << size;
  }
}

TEST_F(FirstSchema, ImpossibleFiguresAndNamesAreRefused) {
  EXPECT_EQ(complaint(with("[0.5,0.25]", "[]")), ":2: 'seconds' is empty");
  EXPECT_THAT(complaint(with("0.375", "-1")), HasSubstr("must be positive"));
  EXPECT_EQ(complaint(with("\"leaves\":1000", "\"leaves\":0")), ":2: 'leaves' must be positive");
  EXPECT_EQ(complaint(with("DS2", "DS13")), ":2: unknown data structure 'DS13'");
  EXPECT_EQ(complaint(with("AS7", "AS15")), ":2: unknown strategy 'AS15'");
}

class CellLine : public testing::Test {
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

  const std::filesystem::path path_ = scratch_path("line");
  const std::string run_ = to_line(make_series_run()) + "\n";
  const cell_result cell_ = make_series_cell(8, "AS7", "mallard", "aged", 0.25);
};

TEST_F(CellLine, CellSurvivesWritingAndReading) {
  const result_file file = load(to_line(cell_) + "\n");
  ASSERT_EQ(file.cells.size(), 1U);
  const cell_result& read = file.cells.front();
  EXPECT_EQ(read.key(), cell_.key());
  EXPECT_EQ(read.measures, cell_.measures);
  EXPECT_TRUE(read.ok());
  EXPECT_EQ(to_line(read), to_line(cell_));
  EXPECT_EQ(to_string(read.at.at("subsystem")), "8");
  EXPECT_EQ(to_string(read.at.at("variant")), "code");
}

TEST_F(CellLine, RunKeepsItsParametersAndItsMalloc) {
  run_info run = make_series_run();
  run.malloc = "jemalloc";
  std::ofstream(path_) << to_line(run) << "\n";
  const run_info read = load_results(path_).run;
  EXPECT_EQ(read.parameters, run.parameters);
  EXPECT_EQ(read.malloc, "jemalloc");
}

TEST_F(CellLine, FilesFromBeforeSayNothingOfMallocAndWereMeasuredOnGlibcs) {
  std::string run = run_;
  const std::string member = ",\"malloc\":\"glibc\"";
  run.erase(run.find(member), member.size());
  std::ofstream(path_) << run;
  EXPECT_EQ(load_results(path_).run.malloc, "glibc");
}

TEST_F(CellLine, FailedCellKeepsItsReasonAndHasNoMeasures) {
  cell_result failed = cell_;
  failed.error = "out of memory";
  const result_file file = load(to_line(failed) + "\n");
  ASSERT_EQ(file.cells.size(), 1U);
  EXPECT_EQ(file.cells[0].error, "out of memory");
  EXPECT_TRUE(file.cells[0].measures.empty());
}

TEST_F(CellLine, CellsThatDifferInOneCoordinateAreTwoAndLaterLinesOfOneCount) {
  cell_result other = cell_;
  other.at["accesses"] = 16;
  cell_result again = cell_;
  again.measures.erase("rss");
  cell_result preloaded = cell_;
  preloaded.malloc = "jemalloc";
  const result_file file = load(to_line(cell_) + "\n" + to_line(other) + "\n" + to_line(again) +
                                "\n" + to_line(preloaded) + "\n");
  ASSERT_EQ(file.cells.size(), 3U);
  EXPECT_EQ(file.cells[0].find("rss"), nullptr);
  EXPECT_NE(file.cells[1].find("rss"), nullptr);
}

TEST_F(CellLine, WhatIsMissingOrOfTheWrongTypeIsNamed) {
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

TEST_F(CellLine, ImpossibleFiguresAreRefused) {
  cell_result cell = cell_;
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

TEST_F(ResultFile, FileThatIsNotThereOrADirectoryCannotBeRead) {
  EXPECT_THROW(load_results("/no/such/file"), std::runtime_error);
  EXPECT_THROW(load_results(testing::TempDir()), std::runtime_error);
}

}  // namespace
}  // namespace mallard::lab
