// Merging result files: what belongs together, who wins, and what the reader is told.
#include "lab/results/merge.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "result_files.hpp"

namespace mallard::report_test {
namespace {

using lab::merge;

TEST(merge, files_of_one_machine_and_mode_become_one_data_set) {
  const std::vector files = {sample_file("a.jsonl", {sample_cell("AS1", 1.0)}),
                             sample_file("b.jsonl", {sample_cell("AS7", 0.5)})};
  const auto merged = merge(files);
  ASSERT_EQ(merged.datasets.size(), 1U);
  EXPECT_EQ(merged.datasets[0].cells.size(), 2U);
  EXPECT_EQ(merged.datasets[0].sources.size(), 2U);
  EXPECT_TRUE(merged.notes.empty());
}

TEST(merge, of_the_same_cell_the_later_one_counts_and_a_note_says_so) {
  const std::vector files = {
      sample_file("a.jsonl", {sample_cell("AS1", 1.0), sample_cell("AS7", 0.5)}),
      sample_file("b.jsonl", {sample_cell("AS7", 0.25)})};
  const auto merged = merge(files);
  ASSERT_EQ(merged.datasets.size(), 1U);
  ASSERT_EQ(merged.datasets[0].cells.size(), 2U);
  EXPECT_EQ(merged.datasets[0].cells[1].median_of("time"), 0.25);
  ASSERT_EQ(merged.notes.size(), 1U);
  EXPECT_EQ(merged.notes[0].substr(0, 2), "1 ");
  EXPECT_NE(merged.notes[0].find("b.jsonl"), std::string::npos);
}

TEST(merge, machines_modes_and_scales_are_never_mixed) {
  auto machine = sample_file("b.jsonl", {sample_cell("AS1", 2.0)});
  machine.run.machine.cpu = "Another CPU";
  auto mode = sample_file("c.jsonl", {sample_cell("AS1", 3.0)});
  mode.run.mode = "paper";
  auto scale = sample_file("d.jsonl", {sample_cell("AS1", 4.0)});
  scale.run.parameters["leaves"] = 1 << 25;
  const std::vector files = {sample_file("a.jsonl", {sample_cell("AS1", 1.0)}), machine, mode,
                             scale};
  const auto merged = merge(files);
  ASSERT_EQ(merged.datasets.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(merged.datasets[i].cells.size(), 1U);
    EXPECT_EQ(merged.datasets[i].cells[0].median_of("time"), static_cast<double>(i + 1));
  }
}

TEST(merge, data_sets_that_read_alike_are_numbered) {
  auto other_flags = sample_file("b.jsonl", {sample_cell("AS1", 2.0)});
  other_flags.run.build.flags = "-O2";
  const std::vector files = {sample_file("a.jsonl", {sample_cell("AS1", 1.0)}), other_flags};
  const auto merged = merge(files);
  ASSERT_EQ(merged.datasets.size(), 2U);
  EXPECT_EQ(merged.datasets[1].label, merged.datasets[0].label + " (2)");
}

TEST(merge, a_file_without_cells_is_left_out_with_a_note) {
  const std::vector files = {sample_file("empty.jsonl", {}),
                             sample_file("a.jsonl", {sample_cell("AS1", 1.0)})};
  const auto merged = merge(files);
  ASSERT_EQ(merged.datasets.size(), 1U);
  EXPECT_EQ(merged.datasets[0].sources.size(), 1U);
  ASSERT_EQ(merged.notes.size(), 1U);
  EXPECT_NE(merged.notes[0].find("empty.jsonl"), std::string::npos);
}

TEST(merge, warnings_of_the_reader_reach_the_notes) {
  auto file = sample_file("a.jsonl", {sample_cell("AS1", 1.0)});
  file.warnings = {"a.jsonl:3: cut off"};
  EXPECT_EQ(merge(std::vector{file}).notes, file.warnings);
}

TEST(merge, no_cell_at_all_is_an_error) {
  EXPECT_THROW(merge(std::vector{sample_file("a.jsonl", {})}), std::runtime_error);
}

TEST(merge, benches_of_one_machine_share_a_data_set) {
  const std::vector files = {sample_series_file("l.jsonl", {sample_series_cell("AS1", 1.0)}),
                             sample_file("d.jsonl", {sample_cell("AS1", 1.0)}),
                             sample_series_file("m.jsonl", {sample_series_cell("AS7", 0.5)})};
  const auto merged = merge(files);
  ASSERT_EQ(merged.datasets.size(), 1U);
  EXPECT_EQ(merged.datasets[0].cells.size(), 3U);
  EXPECT_TRUE(merged.notes.empty());
}

TEST(merge, of_the_same_cell_of_a_series_the_later_one_counts_too) {
  const std::vector files = {sample_series_file("a.jsonl", {sample_series_cell("AS1", 1.0)}),
                             sample_series_file("b.jsonl", {sample_series_cell("AS1", 2.0)})};
  const auto merged = merge(files);
  ASSERT_EQ(merged.datasets[0].cells.size(), 1U);
  EXPECT_EQ(merged.datasets[0].cells[0].find("time")->median, 2.0);
  ASSERT_EQ(merged.notes.size(), 1U);
}

TEST(merge, cells_under_another_malloc_stand_beside) {
  auto other = sample_file("j.jsonl", {sample_cell("AS1", 2.0)});
  other.run.malloc = other.cells[0].malloc = "jemalloc";
  auto cell = sample_series_cell("AS1", 3.0);
  cell.malloc = "jemalloc";
  const std::vector files = {sample_file("a.jsonl", {sample_cell("AS1", 1.0)}), other,
                             sample_series_file("b.jsonl", {sample_series_cell("AS1", 1.0), cell})};
  const auto merged = merge(files);
  ASSERT_EQ(merged.datasets.size(), 1U);
  ASSERT_EQ(merged.datasets[0].cells.size(), 4U);
  EXPECT_EQ(merged.datasets[0].cells[1].malloc, "jemalloc");
  EXPECT_TRUE(merged.notes.empty());
  std::size_t under_jemalloc = 0;
  for (const auto& one : lab::observe(merged.datasets[0])) {
    under_jemalloc += lab::to_string(one.at.at("malloc")) == "jemalloc";
  }
  EXPECT_EQ(under_jemalloc, 2U);
}

}  // namespace
}  // namespace mallard::report_test
