// From result files to one page on disk, and what happens when that goes wrong.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>

#include "report/report.hpp"
#include "result_files.hpp"

namespace mallard::report_test {
namespace {

using paths = std::vector<std::filesystem::path>;
using report::write_report;

// The message of the failure; fails the test when there is none, or when it has several lines.
std::string failure_of(const paths& results, const std::filesystem::path& out) {
  try {
    write_report(results, out);
  } catch (const std::runtime_error& problem) {
    const std::string text = problem.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  ADD_FAILURE() << "no failure";
  return "";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class write_report_to : public testing::Test {
 protected:
  result_folder dir_;
  std::filesystem::path results_ =
      dir_.write(sample_file("a.jsonl", {sample_cell("AS1", 1.0), sample_cell("AS7", 0.731)}));
};

TEST_F(write_report_to, a_new_file_gives_one_page_with_the_data_in_it) {
  write_report(paths{results_}, dir_ / "report.html");
  const std::string page = read_file(dir_ / "report.html");
  EXPECT_TRUE(contains(page, "0.731"));
  EXPECT_TRUE(contains(page, "Example CPU"));
  EXPECT_FALSE(contains(page, "@MALLARD_DATA@"));
  EXPECT_EQ(dir_.entries(), 2U);  // no temporary file is left
}

TEST_F(write_report_to, the_same_results_give_the_same_bytes) {
  write_report(paths{results_}, dir_ / "one.html");
  write_report(paths{results_}, dir_ / "two.html");
  EXPECT_EQ(read_file(dir_ / "one.html"), read_file(dir_ / "two.html"));
}

TEST_F(write_report_to, a_series_alone_makes_a_page) {
  const auto series =
      dir_.write(sample_series_file("u.jsonl", {sample_series_cell("AS7", 0.123456)}));
  write_report(paths{series}, dir_ / "report.html");
  EXPECT_TRUE(contains(read_file(dir_ / "report.html"), "0.123456"));
}

TEST_F(write_report_to, a_bench_that_is_not_known_has_its_cells_in_the_page) {
  auto file = sample_series_file("n.jsonl", {sample_series_cell("AS7", 0.654321)});
  file.run.bench = file.cells.front().bench = "novel";
  write_report(paths{dir_.write(file)}, dir_ / "report.html");
  EXPECT_TRUE(contains(read_file(dir_ / "report.html"), "0.654321"));
}

TEST_F(write_report_to, an_old_report_is_replaced) {
  const auto out = dir_.write("report.html", "old");
  write_report(paths{results_}, out);
  EXPECT_TRUE(contains(read_file(out), "0.731"));
}

TEST_F(write_report_to, a_missing_result_is_named_and_the_old_report_stays) {
  const auto out = dir_.write("report.html", "old");
  EXPECT_TRUE(contains(failure_of({results_, dir_ / "gone.jsonl"}, out), "gone.jsonl"));
  EXPECT_EQ(read_file(out), "old");
}

TEST_F(write_report_to, a_malformed_result_is_named_with_its_line) {
  const auto bad = dir_.write("bad.jsonl", "{\"kind\":\n");
  EXPECT_TRUE(contains(failure_of({bad}, dir_ / "report.html"), "bad.jsonl:1"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "report.html"));
}

TEST_F(write_report_to, an_empty_file_is_no_result) {
  const auto empty = dir_.write("empty.jsonl", "");
  EXPECT_TRUE(contains(failure_of({empty}, dir_ / "report.html"), "empty.jsonl"));
}

TEST_F(write_report_to, no_result_file_is_an_error) {
  failure_of({}, dir_ / "report.html");
}

TEST_F(write_report_to, an_output_in_a_directory_that_does_not_exist_is_named) {
  const auto out = dir_ / "nowhere/report.html";
  EXPECT_TRUE(contains(failure_of({results_}, out), out.string()));
}

TEST_F(write_report_to, a_directory_or_a_pipe_as_output_is_refused) {
  const auto pipe = dir_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(contains(failure_of({results_}, pipe), "not a regular file"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(contains(failure_of({results_}, dir_ / ""), "not a regular file"));
}

TEST_F(write_report_to, an_input_as_output_is_refused_and_stays) {
  const std::string before = read_file(results_);
  EXPECT_TRUE(contains(failure_of({results_}, results_), "input"));
  EXPECT_EQ(read_file(results_), before);
}

}  // namespace
}  // namespace mallard::report_test
