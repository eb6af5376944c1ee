// What scripts count becomes a result file, and goals are judged by it.
#include "cli/counts_import.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "lab/claims/claims.hpp"
#include "lab/results/merge.hpp"
#include "support/scratch_path.hpp"

namespace mallard::cli {
namespace {

class CountsImport : public testing::Test {
 protected:
  void TearDown() override {
    std::filesystem::remove(in_);
    std::filesystem::remove(out_);
  }
  void write(const std::string& text) const { std::ofstream(in_) << text; }
  std::string complaint(const std::string& text) const {
    write(text);
    try {
      import_counts(in_, out_, "mallard import");
    } catch (const std::runtime_error& problem) {
      EXPECT_FALSE(std::filesystem::exists(out_));
      return problem.what();
    }
    return "none";
  }

  const std::filesystem::path in_ = scratch_path("counts.txt");
  const std::filesystem::path out_ = scratch_path("counts.jsonl");
};

TEST_F(CountsImport, LinesBecomeCellsOfResourcesAndMallocs) {
  write(
      "resource multipool pairs_direct_allocate instructions 5\n"
      "resource multipool nodes-24 overhead_percent 1.308\n"
      "resource multipool nodes-24 slabs_kept 3\n\n"
      "malloc glibc malloc-24 instructions 20\n");
  EXPECT_TRUE(is_counts(in_));
  EXPECT_EQ(import_counts(in_, out_, "mallard import"), 3U);
  const lab::result_file file = lab::load_results(out_);
  ASSERT_EQ(file.cells.size(), 3U);
  std::map<std::string, const lab::cell_result*> by_what;
  for (const lab::cell_result& one : file.cells) by_what[one.at.word("of")] = &one;
  EXPECT_EQ(by_what.at("nodes-24")->strategy, "multipool");
  EXPECT_EQ(by_what.at("nodes-24")->median_of("overhead_percent"), 1.308);
  EXPECT_EQ(by_what.at("nodes-24")->median_of("slabs_kept"), 3);
  EXPECT_EQ(by_what.at("malloc-24")->malloc, "glibc");
  EXPECT_EQ(by_what.at("malloc-24")->strategy, "AS1");
  EXPECT_EQ(file.run.benches.at("counts").main, "instructions");
}

TEST_F(CountsImport, GoalsAreJudgedByThem) {
  write(
      "resource multipool pairs_direct_allocate instructions 5\n"
      "resource multipool pairs_direct_deallocate instructions 9\n"
      "resource multipool pairs_base_allocate instructions 21\n"
      "resource multipool pairs_base_deallocate instructions 31\n"
      "resource multipool nodes-24 overhead_percent 1.6\n"
      "resource multipool nodes-24 slabs_kept 3\n");
  import_counts(in_, out_, "mallard import");
  const std::vector<lab::result_file> files = {lab::load_results(out_)};
  std::map<std::string, std::string> verdicts;
  for (const auto& one : lab::evaluate_claims(lab::observe(lab::merge(files).datasets.at(0)),
                                              lab::claim_set::goals)) {
    verdicts[one.id] = lab::to_string(one.result);
  }
  const std::map<std::string, std::string> expected = {{"G-14", "holds"}, {"G-15", "holds"},
                                                       {"G-16", "holds"}, {"G-17", "fails"},
                                                       {"G-18", "fails"}, {"G-19", "holds"}};
  EXPECT_EQ(verdicts, expected);
}

TEST_F(CountsImport, WhatIsNoCountIsRefusedWithItsLineAndWritesNothing) {
  const std::string good = "resource multipool pairs_direct_allocate instructions 5\n";
  const std::string line_2 = in_.string() + ":2: ";
  for (const char* bad :
       {"resource multipool pairs instructions", "resource multipool pairs instructions five",
        "resource multipool pairs instructions -1", "resource multipool pairs instructions 1 2",
        "thing multipool pairs instructions 1", "resource multipool pairs instructions nan"}) {
    EXPECT_TRUE(complaint(good + bad + "\n").starts_with(line_2)) << bad;
  }
  write("not counts\n");
  EXPECT_FALSE(is_counts(in_));
  write("");
  EXPECT_FALSE(is_counts(in_));
}

}  // namespace
}  // namespace mallard::cli
