#include "cli/result_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cells.hpp"
#include "support/message_of.hpp"
#include "support/read_file.hpp"
#include "support/scratch_path.hpp"

namespace mallard::cli {
namespace {

using testing::HasSubstr;

class result_writer_test : public testing::Test {
 protected:
  std::string content() const { return mallard_test::read_file(path_); }
  std::string complaint(const lab::run_info& run, existing_file policy) const {
    return mallard_test::message_of([&] { const result_writer writer(path_, run, policy); },
                                    "no complaint");
  }

  const scratch_file file_;
  const std::filesystem::path path_ = file_.path();
  const lab::run_info run_ = lab::make_run();
  const lab::cell_result cell_ = lab::make_cell("DS2", 6, "AS7", "mallard", "aged", 0.25);
};

TEST_F(result_writer_test, each_cell_is_in_the_file_at_once) {
  result_writer writer(path_, run_, existing_file::refuse);
  writer.write(cell_);
  EXPECT_EQ(lab::load_results(path_).cells.size(), 1U);  // while it is still open
}

TEST_F(result_writer_test, existing_file_is_not_touched_unless_asked_for) {
  {
    result_writer(path_, run_, existing_file::refuse).write(cell_);
  }
  const std::string before = content();
  EXPECT_THAT(complaint(run_, existing_file::refuse), HasSubstr("exists already (--force"));
  EXPECT_THAT(complaint(run_, existing_file::refuse_or_resume),
              HasSubstr("exists already (--resume"));
  EXPECT_EQ(content(), before);
  EXPECT_EQ(complaint(run_, existing_file::replace), "no complaint");
  EXPECT_TRUE(lab::load_results(path_).cells.empty());
}

TEST_F(result_writer_test, resume_keeps_the_cells_and_appends) {
  {
    result_writer(path_, run_, existing_file::refuse).write(cell_);
  }
  {
    result_writer writer(path_, run_, existing_file::resume);
    EXPECT_EQ(writer.earlier().size(), 1U);
    writer.write(lab::make_cell("DS3", 6, "AS7", "mallard", "aged", 0.5));
  }
  EXPECT_EQ(lab::load_results(path_).cells.size(), 2U);
}

TEST_F(result_writer_test, resume_drops_a_line_that_was_cut_off) {
  {
    result_writer(path_, run_, existing_file::refuse).write(cell_);
  }
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 40);
  {
    result_writer writer(path_, run_, existing_file::resume);
    EXPECT_TRUE(writer.earlier().empty());
    writer.write(cell_);
  }
  const auto file = lab::load_results(path_);
  EXPECT_EQ(file.cells.size(), 1U);
  EXPECT_TRUE(file.warnings.empty());
}

TEST_F(result_writer_test, resume_of_a_missing_file_starts_it) {
  EXPECT_EQ(complaint(run_, existing_file::resume), "no complaint");
  EXPECT_EQ(lab::load_results(path_).run.seed, run_.seed);
}

TEST_F(result_writer_test, resume_with_other_parameters_is_refused_with_the_difference) {
  {
    result_writer(path_, run_, existing_file::refuse).write(cell_);
  }
  const std::string before = content();
  lab::run_info other = run_;
  other.parameters["scale"] = 0.5;
  EXPECT_THAT(complaint(other, existing_file::resume), HasSubstr("--scale 0.015625, not 0.5"));
  other = run_;
  other.mode = "paper";
  EXPECT_THAT(complaint(other, existing_file::resume), HasSubstr("mode fair, not paper"));
  other = run_;
  other.repetitions = 9;
  EXPECT_THAT(complaint(other, existing_file::resume), HasSubstr("--reps 3, not 9"));
  EXPECT_EQ(content(), before);
}

TEST_F(result_writer_test, cells_of_all_benches_are_resumed_unless_they_were_measured_otherwise) {
  lab::run_info run = lab::make_series_run();
  run.parameters["repeats"] = 4;
  {
    result_writer(path_, run, existing_file::refuse)
        .write(lab::make_series_cell(8, "AS7", "mallard", "clean", 1));
  }
  {
    const result_writer writer(path_, run, existing_file::resume);
    EXPECT_EQ(writer.earlier().size(), 1U);
  }
  lab::run_info other = run;
  other.parameters["repeats"] = 5;
  EXPECT_THAT(complaint(other, existing_file::resume), HasSubstr("--repeats 4, not 5"));
  other = run;
  other.malloc = "jemalloc";
  EXPECT_THAT(complaint(other, existing_file::resume), HasSubstr("--malloc glibc, not jemalloc"));
  EXPECT_THAT(complaint(run_, existing_file::resume), HasSubstr("bench locality, not density"));
}

TEST_F(result_writer_test, file_that_is_no_result_is_not_resumed) {
  std::ofstream(path_) << "my diary\n";
  EXPECT_THAT(complaint(run_, existing_file::resume), HasSubstr(":1: not valid JSON"));
  EXPECT_EQ(content(), "my diary\n");
}

TEST_F(result_writer_test, folder_that_is_not_there_is_an_error) {
  EXPECT_THROW(result_writer("/no/such/folder/x", run_, existing_file::refuse), std::runtime_error);
}

}  // namespace
}  // namespace mallard::cli
