// The claims about all benches but the first, by bench or document.
#pragma once

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/claims/claim_table.hpp"

namespace mallard::lab {

inline constexpr std::string_view slides = "Slides";
inline constexpr std::string_view talk = "Talk";
inline constexpr std::string_view article = "Gaztañaga";  // strategies applied to C++ containers
inline constexpr std::string_view chapter = "Zulfiqar";   // the thesis on llheap

inline constexpr double any = std::numeric_limits<double>::infinity();

// What most claims compare: in one bench, `left` over `right`, where all the conditions hold.
inline comparison compared(std::string_view bench, std::string_view label, names left, names right,
                           double at_least, double at_most, conditions_of where = {},
                           const conditions_of& more = {}) {
  where.insert(where.end(), more.begin(), more.end());
  return {.label = label,
          .left = std::move(left),
          .right = std::move(right),
          .at_least = at_least,
          .at_most = at_most,
          .bench = bench,
          .where = std::move(where)};
}

inline comparison of_measure(comparison what, std::string_view measure, double floor = 0) {
  what.measure = measure;
  what.floor = floor;
  return what;
}

inline comparison every_cell(comparison what) {
  what.what = over::cell;
  return what;
}

inline comparison some_cell(comparison what) {
  what.what = over::cell;
  what.how_many = need::some;
  return what;
}

std::vector<claim> locality_claims();     // Benchmark II
std::vector<claim> utilization_claims();  // Benchmark III
std::vector<claim> contention_claims();   // Benchmark IV
std::vector<claim> false_sharing_claims();
std::vector<claim> expansion_claims();     // the article's first chapter
std::vector<claim> burst_claims();         // its second
std::vector<claim> pool_claims();          // its third
std::vector<claim> malloc_bench_claims();  // the thesis's chapter
std::vector<claim> malloc_claims();        // other mallocs in the place of the C library's
std::vector<claim> overall_claims();       // conclusions over all benches

std::vector<claim> goals();  // what ours set out to reach

}  // namespace mallard::lab
