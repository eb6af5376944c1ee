// From the sizes that were asked for to the cells of a series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/series_bench.hpp"

namespace mallard::lab {

// What all series have in common.
struct series_conditions {
  std::vector<series_column> columns;  // those that a bench does not have are left out
  std::vector<std::string> heaps;
  std::string malloc = "glibc";
  unsigned repetitions = 0;
  std::uint64_t seed = 1;
  std::uint64_t memory_limit = 0;
  double timeout_seconds = 300;
};

// AS1 and AS2 once, as "global", then each of the others with every peer.
std::vector<series_column> make_series_columns(const std::vector<std::string>& strategies,
                                               const std::vector<std::string>& peers);

// 2^exponent or 10^exponent; also any other number, of which sizes of subsystems are powers of 2.
struct link_count {
  std::uint64_t links = 0;
  unsigned base = 2;  // 10 for powers of ten
};
inline constexpr std::uint64_t max_links = std::uint64_t{1} << 31;

struct locality_sizes {
  link_count total;
  std::vector<int> subsystems;  // exponents of the total's base
  std::vector<std::uint64_t> accesses;
  std::uint64_t repeats = 0;  // 0: so many that accesses times repeats is `touches`
  std::uint64_t touches = 0;  // of each link
  std::vector<std::uint64_t> shuffles;
  wandering how = wandering::code;
};

// Subsystems that are larger than the total are left out.
series_plan plan_locality(const locality_sizes& sizes, const series_conditions& under);

// log2 of bytes.
struct utilization_size {
  int total;
  int active;
  int block;
};
series_plan plan_utilization(const std::vector<utilization_size>& sizes,
                             const series_conditions& under);

struct contention_sizes {
  std::vector<int> iterations;  // log2
  std::vector<int> blocks;      // log2 of bytes
  std::vector<unsigned> threads;
  std::vector<sharing> forms;
};
// Handing over takes pairs: odd numbers of threads are left out there.
series_plan plan_contention(const contention_sizes& sizes, const series_conditions& under);

struct false_sharing_sizes {
  int increments;  // log2, over all threads
  std::vector<unsigned> threads;
  std::vector<placement> forms;
};
series_plan plan_false_sharing(const false_sharing_sizes& sizes, const series_conditions& under);

// The names that are used in options and results.
std::string_view to_string(wandering how);
std::string_view to_string(sharing form);
std::string_view to_string(placement form);

}  // namespace mallard::lab
