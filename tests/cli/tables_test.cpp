// Tables of cells in the terminal, and their form as CSV.
#include "cli/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "cells.hpp"
#include "cli/csv.hpp"

namespace mallard::cli {
namespace {

using lab::cell_result;
using testing::HasSubstr;
using testing::Not;

std::vector<cell_result> small_table() {
  std::vector<cell_result> cells;
  for (const int subsystem : {4, 8}) {
    cells.push_back(lab::make_series_cell(subsystem, "AS1", "global", "clean", 0.8));
    cells.push_back(lab::make_series_cell(subsystem, "AS7", "mallard", "clean", 0.2));
    cells.push_back(lab::make_series_cell(subsystem, "AS7", "std", "clean", 0.4));
  }
  for (cell_result& cell : cells) {
    cell.measures["steps"] = lab::summarise("count", {1e8, 1e8, 1e8}, 1);
  }
  return cells;
}

TEST(tables, rows_are_places_and_columns_the_strategies_of_one_peer) {
  const std::string text = tables(small_table(), "mallard", false);
  EXPECT_THAT(text, HasSubstr("locality, links 2097152, variant code, clean heap, glibc, mallard: "
                              "ns per step, after shuffling\n"
                              "subsystem  accesses   shuffles        AS1     AS7\n"
                              "4          8          5              8.00    2.00\n"
                              "8          8          5              8.00    2.00\n"));
  EXPECT_THAT(tables(small_table(), "std", false), HasSubstr("8.00    4.00\n"));
}

TEST(tables, failed_cells_and_missing_measures_are_marked) {
  auto cells = small_table();
  cells[1].error = "out of memory";
  cells[1].measures.clear();
  EXPECT_THAT(tables(cells, "mallard", false),
              HasSubstr("4          8          5              8.00    FAIL\n"));
}

TEST(tables, heaps_and_mallocs_are_tables_of_their_own) {
  auto cells = small_table();
  cells.push_back(lab::make_series_cell(4, "AS1", "global", "aged", 1));
  cells.push_back(lab::make_series_cell(4, "AS1", "global", "clean", 1));
  cells.back().malloc = "jemalloc";
  const std::string text = tables(cells, "mallard", false);
  EXPECT_THAT(text, HasSubstr("aged heap, glibc, mallard"));
  EXPECT_THAT(text, HasSubstr("clean heap, jemalloc, mallard"));
}

TEST(tables, colours_run_along_each_row) {
  const std::string text = tables(small_table(), "mallard", true);
  EXPECT_THAT(text, HasSubstr("\033[30;48;2;99;190;123m2.00"));   // the best: green
  EXPECT_THAT(text, HasSubstr("\033[30;48;2;248;105;107m8.00"));  // the worst: red
}

TEST(tables, false_sharing_has_its_threads_in_columns) {
  std::vector<cell_result> cells;
  for (const int threads : {2, 1}) {
    cell_result cell;
    cell.bench = "false-sharing";
    cell.at = {{"form", "shared array"}, {"threads", threads}};
    cell.strategy = "AS1";
    cell.peer = "global";
    cell.heap = "clean";
    cell.measures["time"] = lab::summarise("s", {0.001 * threads}, 1);
    cells.push_back(cell);
  }
  EXPECT_THAT(tables(cells, "mallard", false),
              HasSubstr("shared array              AS1@global      1.00    2.00\n"));
  EXPECT_EQ(speed_ups(cells), "");
}

TEST(tables, benches_of_later_programs_are_shown_by_some_table) {
  auto cells = small_table();
  for (cell_result& cell : cells) {
    cell.bench = "later";
    cell.measures["time"] = lab::summarise("s", {0.5}, 1);
  }
  EXPECT_THAT(tables(cells, "mallard", false), HasSubstr("500"));
}

// A good cell of one measure, of the clean heap.
cell_result one_figure(std::string_view bench, lab::place at, std::string_view strategy,
                       std::string_view peer, std::string_view malloc, const char* measure,
                       const char* unit, double figure) {
  cell_result cell;
  cell.bench = bench;
  cell.at = std::move(at);
  cell.strategy = strategy;
  cell.peer = peer;
  cell.heap = "clean";
  cell.malloc = malloc;
  cell.measures[measure] = lab::summarise(unit, {figure, figure, figure}, 1);
  return cell;
}

std::vector<cell_result> arrays() {
  std::vector<cell_result> cells;
  for (const auto& [strategy, peer, seconds] :
       {std::tuple("v2", "mallard", 1.0), std::tuple("v1", "boost", 3.0),
        std::tuple("std", "boost", 2.0), std::tuple("std", "std", 2.5)}) {
    cells.push_back(one_figure(
        "expand-forward",
        {{"elements", 1000}, {"form", "alone"}, {"iterations", 1'000'000}, {"type", "int"}},
        strategy, peer, "glibc", "time", "s", seconds));
  }
  return cells;
}

TEST(tables, arrays_have_the_strategies_of_all_libraries_side_by_side) {
  for (const char* peer : {"mallard", "boost"}) {
    EXPECT_THAT(
        tables(arrays(), peer, false),
        HasSubstr("\nexpand-forward, form alone, type int, clean heap, glibc: ns per element\n"
                  "elements   iterations   std@boost  std@std  v1@boost  v2@mallard\n"
                  "1000       1000000           2.00     2.50      3.00        1.00\n"));
  }
  EXPECT_TRUE(is_shown(arrays().back(), "mallard"));
  EXPECT_FALSE(is_shown(small_table().back(), "mallard"));
}

TEST(tables, arrays_that_grow_among_each_other_are_counted_by_element_too) {
  auto cells = arrays();
  for (cell_result& cell : cells) {
    cell.at["form"] = "among";
    for (auto& [name, one] : cell.measures) one.median *= 101;
  }
  EXPECT_THAT(tables(cells, "mallard", false),
              HasSubstr("1000       1000000           2.00     2.50      3.00        1.00\n"));
}

TEST(tables, a_measure_that_nobody_has_makes_no_table_and_no_column) {
  auto cells = arrays();
  EXPECT_THAT(tables(cells, "mallard", false), Not(HasSubstr("succeeded")));
  cells[0].measures["success"] = lab::summarise("ratio", {0.0}, 1);
  EXPECT_THAT(tables(cells, "mallard", false),
              HasSubstr("succeeded\nelements   iterations   v2@mallard\n"
                        "1000       1000000            0.00\n"));
}

TEST(tables, where_more_is_better_the_greatest_is_green) {
  auto cells = arrays();
  cells[0].measures["success"] = lab::summarise("ratio", {0.8}, 1);
  cells[1].measures["success"] = lab::summarise("ratio", {0.2}, 1);
  const std::string text = tables(cells, "mallard", true);
  EXPECT_THAT(text, HasSubstr("\033[30;48;2;99;190;123m0.800"));
  EXPECT_THAT(text, HasSubstr("\033[30;48;2;248;105;107m0.200"));
}

TEST(speed_ups, of_arrays_are_over_boosts_containers_with_the_standard_allocator) {
  const std::string text = speed_ups(arrays());
  EXPECT_THAT(text, HasSubstr("Times as fast as std@boost, clean heap, geometric mean\n"));
  EXPECT_THAT(text, HasSubstr("v2@mallard            2.00\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nstd@boost")));
}

TEST(speed_ups, are_geometric_means_over_the_places_that_both_have) {
  auto cells = small_table();
  EXPECT_THAT(speed_ups(cells),
              HasSubstr("AS7   multipool, direct, destroyed     4.00     2.00\n"));
  cells[4].measures["access_after"] = lab::summarise("s", {0.05}, 1);  // 16 times as fast
  cells[5].error = "crashed";
  EXPECT_THAT(speed_ups(cells),
              HasSubstr("AS7   multipool, direct, destroyed     8.00     2.00\n"));
  std::erase_if(cells, [](const cell_result& cell) { return cell.strategy == "AS1"; });
  EXPECT_EQ(speed_ups(cells), "");
}

TEST(csv, has_a_line_per_cell_and_measure_and_a_column_per_coordinate) {
  lab::result_file results;
  results.cells = {lab::make_series_cell(8, "AS7", "mallard", "aged", 0.5)};
  const std::string text = to_csv(results);
  EXPECT_THAT(text, HasSubstr("bench,accesses,links,shuffles,subsystem,variant,strategy,peer,heap,"
                              "malloc,status,error,measure,unit,median,ci_low,ci_high,samples\n"));
  EXPECT_THAT(text, HasSubstr("locality,8,2097152,5,8,code,AS7,mallard,aged,glibc,ok,,access_after,"
                              "s,0.5,0.4995,0.5005"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 2);
}

TEST(csv, reasons_of_failures_are_quoted_where_they_must_be) {
  lab::result_file results;
  results.cells = {lab::make_series_cell(8, "AS7", "mallard", "aged", 0.5)};
  results.cells[0].error = "said \"no\", twice";
  results.cells[0].measures.clear();
  EXPECT_THAT(to_csv(results), HasSubstr(",failed,\"said \"\"no\"\", twice\",,,,,,\n"));
}

TEST(csv, cells_of_density_are_like_any_other) {
  lab::result_file results;
  results.run = lab::make_run();
  results.cells = {lab::make_cell("DS2", 6, "AS7", "mallard", "clean", 0.25)};
  const std::string text = to_csv(results);
  EXPECT_THAT(text, HasSubstr("density,DS2,6,AS7,mallard,clean,glibc,ok,,time,s,0.25,"));
  EXPECT_THAT(text, HasSubstr(",rss,B,2000,1000,3000,1000;2000;3000\n"));
  EXPECT_THAT(text, Not(HasSubstr("failed")));
}

TEST(speed_ups, of_density_are_relative_to_the_global_heap_of_the_same_condition) {
  std::vector<cell_result> cells = {lab::make_cell("DS2", 6, "AS1", "global", "clean", 1e-7),
                                    lab::make_cell("DS2", 6, "AS7", "mallard", "clean", 1e-8),
                                    lab::make_cell("DS2", 8, "AS7", "mallard", "clean", 1)};
  cells.back().error = "out of memory";
  cells.push_back(lab::make_cell("DS2", 6, "AS7", "mallard", "aged", 1e-8));
  EXPECT_EQ(speed_ups(cells),
            "\nTimes as fast as the global heap (AS1), clean heap, geometric mean\n"
            "                                    mallard\n"
            "AS7   multipool, direct, destroyed     10.0\n");
}

TEST(tables, each_data_structure_of_density_has_its_own) {
  const std::vector<cell_result> cells = {lab::make_cell("DS2", 6, "AS1", "global", "clean", 4e-9),
                                          lab::make_cell("DS2", 6, "AS7", "mallard", "clean", 2e-9),
                                          lab::make_cell("DS3", 6, "AS1", "global", "clean", 3e-9)};
  const std::string text = tables(cells, "mallard", false);
  EXPECT_THAT(text, HasSubstr("density, ds DS2, clean heap, glibc, mallard: ns per leaf insertion\n"
                              "size            AS1     AS7\n"
                              "6              4.00    2.00\n"));
  EXPECT_THAT(text, HasSubstr("density, ds DS3"));
}

}  // namespace
}  // namespace mallard::cli
