// The claims about all benches but the first, by bench or document.
#pragma once

#include <string_view>
#include <vector>

#include "lab/claims/claim_table.hpp"

namespace mallard::lab {

inline constexpr std::string_view slides = "Slides";
inline constexpr std::string_view talk = "Talk";
inline constexpr std::string_view article = "Gaztañaga";  // strategies applied to C++ containers
inline constexpr std::string_view chapter = "Zulfiqar";   // the thesis on llheap

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

}  // namespace mallard::lab
