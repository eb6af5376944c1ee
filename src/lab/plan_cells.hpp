// What makes the plans of all series: cells of one place, with every column and under every heap.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "lab/series_plans.hpp"

namespace mallard::lab {

// Starting a process and bringing its figures back.
inline constexpr double seconds_per_process = 0.01;

inline series_plan start_plan(const series_conditions& under) {
  series_plan plan;
  plan.heaps = under.heaps;
  plan.repetitions = under.repetitions;
  plan.seed = under.seed;
  return plan;
}

// One place with every column for which `find` has a kernel there.
template <class Work, class Find>
void add_cells(series_plan& plan, const series_conditions& under, std::string_view bench,
               const coordinates& at, const Work& work, double expected_seconds, const Find& find) {
  for (const std::string& heap : under.heaps) {
    for (const series_column& column : under.columns) {
      const series_kernel<Work> run = find(column);
      if (!run) continue;
      planned_cell cell;
      cell.key.bench = bench;
      cell.key.at = at;
      cell.key.strategy = column.strategy;
      cell.key.peer = column.peer;
      cell.key.heap = heap;
      cell.key.malloc = under.malloc;
      cell.what.task = series_task<Work>{run, work};
      cell.what.memory_limit = under.memory_limit;
      cell.what.timeout_seconds = under.timeout_seconds;
      // Also where a resource is ours: lists and tables are the global heap's.
      cell.what.uses_heap = heap == "aged";
      cell.expected_seconds = seconds_per_process + expected_seconds;
      plan.cells.push_back(std::move(cell));
    }
  }
}

inline std::uint64_t power(std::uint64_t base, int exponent) {
  std::uint64_t value = 1;
  for (int i = 0; i < exponent; ++i) value *= base;
  return value;
}

}  // namespace mallard::lab
