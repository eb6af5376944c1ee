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

class result_file_test : public testing::Test {
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

  const scratch_file file_;
  const std::filesystem::path path_ = file_.path();
  const std::string run_ = to_line(make_run()) + "\n";
  const cell_result cell_ = make_cell("DS2", 6, "AS7", "mallard", "aged", 0.25);
};

TEST_F(result_file_test, run_survives_writing_and_reading) {
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

TEST_F(result_file_test, what_is_said_of_benches_survives_and_tells_directions_of_measures) {
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

TEST_F(result_file_test, nonsense_about_benches_is_refused_with_its_line) {
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

TEST_F(result_file_test, cell_survives_writing_and_reading) {
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

TEST_F(result_file_test, failed_cell_keeps_its_reason_and_has_no_figures) {
  cell_result failed = cell_;
  failed.error = "killed by signal 11 (Segmentation fault)";
  const result_file file = load_results(write(run_ + to_line(failed) + "\n"));
  ASSERT_EQ(file.cells.size(), 1U);
  EXPECT_FALSE(file.cells[0].ok());
  EXPECT_EQ(file.cells[0].error, failed.error);
  EXPECT_TRUE(file.cells[0].measures.empty());
}

TEST_F(result_file_test, later_line_of_the_same_cell_counts) {
  cell_result again = cell_;
  again.measures["time"].median = 0.2501;
  const auto file = load_results(write(run_ + to_line(cell_) + "\n" + to_line(again) + "\n"));
  ASSERT_EQ(file.cells.size(), 1U);
  EXPECT_EQ(file.cells[0].median_of("time"), 0.2501);
}

TEST_F(result_file_test, cut_off_last_line_is_a_warning) {
  const std::string cell = to_line(cell_);
  const auto file = load_results(write(run_ + cell + "\n" + cell.substr(0, cell.size() / 2)));
  EXPECT_EQ(file.cells.size(), 1U);
  ASSERT_EQ(file.warnings.size(), 1U);
  EXPECT_THAT(file.warnings[0], HasSubstr(":3: the last line is cut off"));
}

TEST_F(result_file_test, last_line_without_newline_counts_when_it_is_complete) {
  const auto file = load_results(write(run_ + to_line(cell_)));
  EXPECT_EQ(file.cells.size(), 1U);
  EXPECT_TRUE(file.warnings.empty());
}

TEST_F(result_file_test, malformed_line_in_the_middle_is_refused_with_its_number) {
  EXPECT_EQ(complaint(run_ + "{\"kind\":\"ce\n" + to_line(cell_) + "\n"), ":2: not valid JSON");
  EXPECT_EQ(complaint(run_ + "7\n"), ":2: a JSON object is expected");
  EXPECT_EQ(complaint(run_ + "{\"kind\":\"cow\"}\n"), ":2: unknown kind 'cow'");
  EXPECT_EQ(complaint(run_ + run_), ":2: a second 'run' line");
}

TEST_F(result_file_test, file_without_run_line_is_not_a_result_file) {
  EXPECT_THAT(complaint(""), EndsWith("not a result file"));
  EXPECT_EQ(complaint(to_line(cell_) + "\n"), ":1: the first line must be of kind 'run'");
  EXPECT_EQ(complaint("garbage\n"), ":1: not valid JSON, as result files of mallard bench are");
  EXPECT_EQ(complaint("garbage"), ":1: not valid JSON, as result files of mallard bench are");
}

TEST_F(result_file_test, unknown_schema_is_refused) {
  for (const char* schema : {"1", "3"}) {
    std::string run = run_;
    run.replace(run.find("\"schema\":2"), 10, std::string("\"schema\":") + schema);
    EXPECT_THAT(complaint(run), HasSubstr(std::string(":1: schema ") + schema + " is not known"));
  }
}

class cell_line : public testing::Test {
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

  const scratch_file file_;
  const std::filesystem::path path_ = file_.path();
  const std::string run_ = to_line(make_series_run()) + "\n";
  const cell_result cell_ = make_series_cell(8, "AS7", "mallard", "aged", 0.25);
};

TEST_F(cell_line, cell_survives_writing_and_reading) {
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

TEST_F(cell_line, run_keeps_its_parameters_and_its_malloc) {
  run_info run = make_series_run();
  run.malloc = "jemalloc";
  std::ofstream(path_) << to_line(run) << "\n";
  const run_info read = load_results(path_).run;
  EXPECT_EQ(read.parameters, run.parameters);
  EXPECT_EQ(read.malloc, "jemalloc");
}

TEST_F(cell_line, files_from_before_say_nothing_of_malloc_and_were_measured_on_glibcs) {
  std::string run = run_;
  const std::string member = ",\"malloc\":\"glibc\"";
  run.erase(run.find(member), member.size());
  std::ofstream(path_) << run;
  EXPECT_EQ(load_results(path_).run.malloc, "glibc");
}

TEST_F(cell_line, failed_cell_keeps_its_reason_and_has_no_measures) {
  cell_result failed = cell_;
  failed.error = "out of memory";
  const result_file file = load(to_line(failed) + "\n");
  ASSERT_EQ(file.cells.size(), 1U);
  EXPECT_EQ(file.cells[0].error, "out of memory");
  EXPECT_TRUE(file.cells[0].measures.empty());
}

TEST_F(cell_line, cells_that_differ_in_one_coordinate_are_two_and_later_lines_of_one_count) {
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

TEST_F(cell_line, what_is_missing_or_of_the_wrong_type_is_named) {
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

TEST_F(cell_line, impossible_figures_are_refused) {
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

TEST(summarise, is_the_median_and_an_interval_that_holds_it) {
  const measure one = summarise("s", {3, 1, 2}, 7);
  EXPECT_EQ(one.median, 2);
  EXPECT_LE(one.ci_low, 2);
  EXPECT_GE(one.ci_high, 2);
  EXPECT_THAT(one.samples, ElementsAre(3, 1, 2));
  EXPECT_EQ(one, summarise("s", {3, 1, 2}, 7));
}

TEST_F(result_file_test, file_that_is_not_there_or_a_directory_cannot_be_read) {
  EXPECT_THROW(load_results("/no/such/file"), std::runtime_error);
  EXPECT_THROW(load_results(testing::TempDir()), std::runtime_error);
}

}  // namespace
}  // namespace mallard::lab
