// The document behind the page.
#include "report/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "report/trace_model.hpp"
#include "result_files.hpp"

namespace mallard::report_test {
namespace {

using json = nlohmann::ordered_json;

json model_of(std::vector<lab::cell_result> cells) {
  return report::make_model(lab::merge(std::vector{sample_file("a.jsonl", std::move(cells))}));
}

json cell_of(const json& model, std::size_t cell) {
  return model.at("datasets").at(0).at("cells").at(cell);
}

TEST(model, a_cell_keeps_its_figures) {
  const json model = model_of({sample_cell("AS1", 1.25), sample_cell("AS7", 0.5)});
  EXPECT_EQ(cell_of(model, 1).at("strategy"), "AS7");
  EXPECT_EQ(cell_of(model, 1).at("at").at("ds"), "DS1");
  const json measures = cell_of(model, 0).at("measures");
  EXPECT_EQ(measures.at("time").at("samples"), json({1.25, 1.25, 1.25}));
  EXPECT_EQ(measures.at("rss").at("median"), 4096);
}

TEST(model, heat_maps_are_given_the_repetitions_of_what_they_show_the_spread_of) {
  const json measures = cell_of(model_of({sample_cell("AS1", 1.25)}), 0).at("measures");
  EXPECT_TRUE(measures.at("time").contains("samples"));
  EXPECT_EQ(measures.at("rss"), json({{"unit", "B"}, {"median", 4096}}));
}

TEST(model, times_have_six_significant_digits) {
  const json model = model_of({sample_cell("AS1", 0.001234567891)});
  EXPECT_EQ(cell_of(model, 0).at("measures").at("time").at("median").dump(), "0.00123457");
}

TEST(model, a_failed_cell_keeps_its_reason) {
  const json model = model_of({sample_cell("AS1", 1), failed_cell("AS7", "killed by signal 9")});
  EXPECT_EQ(cell_of(model, 1).at("status"), "failed");
  EXPECT_EQ(cell_of(model, 1).at("error"), "killed by signal 9");
  EXPECT_FALSE(cell_of(model, 1).contains("measures"));
}

TEST(model, benches_say_what_they_and_their_measures_are_called) {
  const json benches = model_of({sample_cell("AS1", 1)}).at("benches");
  const json larson = benches.at("larson");
  EXPECT_EQ(larson.at("main"), "throughput");
  EXPECT_EQ(larson.at("measures").at("throughput").at("better"), "more");
  EXPECT_EQ(larson.at("measures").at("rss").at("unit"), "B");
  EXPECT_EQ(benches.at("locality").at("measures").at("access_after").at("title"),
            "Access after the shuffle");
  // Cells of another bench are told from it.
  EXPECT_EQ(benches.at("memory-series").at("title"), "Memory over time");
  EXPECT_EQ(benches.at("memory-series").at("measures").at("rss").at("title"), "Resident pages");
}

TEST(model, what_result_files_say_of_benches_comes_before_what_the_program_says) {
  lab::result_file older = sample_file("a.jsonl", {sample_cell("AS1", 1)});
  lab::result_file newer = sample_file("b.jsonl", {sample_cell("AS7", 1)});
  older.run.benches["larson"] = {.title = "Older"};
  newer.run.benches["larson"] = {
      .title = "Said", .main = "odd", .measures = {{"odd", "s", "Odd", lab::better::more}}};
  newer.run.benches["foreign"] = {.title = "Foreign"};
  const json benches = report::make_model(lab::merge(std::vector{older, newer})).at("benches");
  EXPECT_EQ(benches.at("larson").at("title"), "Said");
  EXPECT_EQ(benches.at("larson").at("main"), "odd");
  EXPECT_EQ(benches.at("larson").at("measures").at("odd").at("better"), "more");
  EXPECT_EQ(benches.at("foreign").at("title"), "Foreign");
  // Its presentation is not in the file.
  EXPECT_EQ(benches.at("larson").at("page").at("section").at("id"), "malloc-benches");
}

TEST(model, a_bench_says_how_it_is_shown) {
  const json benches = model_of({sample_cell("AS1", 1)}).at("benches");
  const json& card = benches.at("speed").at("page").at("cards").at(0);
  EXPECT_EQ(card.at("along"), "chain");
  EXPECT_EQ(card.at("bars"), true);
  EXPECT_FALSE(card.contains("linear"));
  // Cards of a series are the series' own.
  EXPECT_EQ(benches.at("memory").at("page").at("cards").size(), 1U);
  EXPECT_EQ(benches.at("memory-series").at("page").at("cards").at(0).at("along"), "point");
  EXPECT_EQ(benches.at("contention").at("page").at("headlines").at(0).at("where"),
            json({{"form", "own"}}));
  EXPECT_TRUE(benches.at("mixed").at("page").contains("logarithms"));
}

TEST(model, the_published_tables_are_complete) {
  const json model = model_of({sample_cell("AS1", 1)});
  const json& tables = model.at("published").at("seconds");
  ASSERT_EQ(tables.size(), 12U);
  for (const auto& table : tables) {
    ASSERT_EQ(table.size(), 11U);
    for (const auto& row : table) EXPECT_EQ(row.size(), 14U);
  }
  EXPECT_EQ(tables.at("DS2").at("6").at("AS1"), 68.9);
}

TEST(model, the_published_tables_of_the_other_benchmarks_are_there) {
  const json model = model_of({sample_cell("AS1", 1)});
  const json& tables = model.at("published_series");
  EXPECT_EQ(tables.size(), 9U);
  const json& utilization = tables.at("benchmark3_as1_seconds_others_percent");
  EXPECT_EQ(utilization.at("rows").at(0).at(3), 0.063);
  EXPECT_TRUE(utilization.at("rows").at(22).at(5).is_null());
}

TEST(model, cells_of_a_series_keep_their_place_and_figures) {
  const json model = report::make_model(lab::merge(
      std::vector{sample_series_file("u.jsonl", {sample_series_cell("AS1", 0.001234567891),
                                                 failed_series_cell("AS3", "out of memory")})}));
  const json& cells = model.at("datasets").at(0).at("cells");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells.at(0).at("bench"), "utilization");
  EXPECT_EQ(cells.at(0).at("at").at("active"), 15);
  EXPECT_EQ(cells.at(0).at("malloc"), "glibc");
  EXPECT_EQ(cells.at(0).at("measures").at("time").at("median").dump(), "0.00123457");
  EXPECT_EQ(cells.at(0).at("measures").at("time").at("samples").size(), 3U);
  EXPECT_EQ(cells.at(1).at("error"), "out of memory");
}

TEST(model, claims_of_every_bench_that_was_measured_are_judged) {
  const json model = report::make_model(
      lab::merge(std::vector{sample_series_file("u.jsonl", {sample_series_cell("AS1", 1)}),
                             sample_file("d.jsonl", {sample_cell("AS1", 1)})}));
  std::set<std::string> benches;
  for (const auto& claim : model.at("datasets").at(0).at("claims")) {
    benches.insert(claim.at("bench").get<std::string>());
    EXPECT_FALSE(claim.at("source").get<std::string>().empty());
  }
  EXPECT_EQ(benches, (std::set<std::string>{"all", "density", "utilization"}));
}

TEST(model, claims_judged_with_several_libraries_say_with_which) {
  std::vector<lab::cell_result> cells;
  for (const char* peer : {"boost", "mallard"}) {
    lab::cell_result cell = sample_series_cell("v1", 1);
    cell.bench = "shrink";
    cell.peer = peer;
    cell.at = {{"elements", 500}, {"iterations", 10}, {"type", "int"}};
    cells.push_back(cell);
  }
  const json model = report::make_model(lab::merge(std::vector{sample_series_file("s", cells)}));
  std::vector<std::string> variants;
  for (const auto& claim : model.at("datasets").at(0).at("claims")) {
    EXPECT_EQ(claim.at("source"), "Gaztañaga");
    if (claim.at("id") == "EX-15") variants.push_back(claim.at("variant"));
  }
  EXPECT_EQ(variants, (std::vector<std::string>{"mallard", "boost"}));
}

TEST(model, every_claim_has_one_of_three_verdicts) {
  const json model = model_of({sample_cell("AS1", 1)});
  const json& claims = model.at("datasets").at(0).at("claims");
  ASSERT_FALSE(claims.empty());
  for (const auto& claim : claims) {
    const std::string verdict = claim.at("verdict");
    EXPECT_TRUE(verdict == "holds" || verdict == "fails" || verdict == "undecided") << verdict;
  }
}

TEST(trace_model, resident_memory_is_that_of_the_samples) {
  profile::trace_facts facts;
  facts.resident = {{0, 4096}, {1'500'000'000, 1u << 20}, {2'000'000'000, 8192}};
  const json model = report::make_trace_model({}, {}, facts, {});
  const json& resident = model.at("timeline").at("resident");
  EXPECT_EQ(resident.at("seconds"), json({0.0, 1.5, 2.0}));
  EXPECT_EQ(resident.at("bytes"), json({4096, 1u << 20, 8192}));
}

}  // namespace
}  // namespace mallard::report_test
