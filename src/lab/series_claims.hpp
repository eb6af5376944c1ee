// The claims about all benches but the first, by bench.
#pragma once

#include <string_view>
#include <vector>

#include "lab/claim_table.hpp"

namespace mallard::lab {

inline constexpr std::string_view slides = "Slides";
inline constexpr std::string_view talk = "Talk";

std::vector<claim> locality_claims();     // Benchmark II
std::vector<claim> utilization_claims();  // Benchmark III
std::vector<claim> contention_claims();   // Benchmark IV
std::vector<claim> false_sharing_claims();
std::vector<claim> malloc_claims();   // other mallocs in the place of the C library's
std::vector<claim> overall_claims();  // conclusions over all benches

}  // namespace mallard::lab
