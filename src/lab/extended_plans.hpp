// From the sizes that were asked for to the cells of the benches of extended allocators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/kernels/extended_work.hpp"
#include "lab/series_plans.hpp"

namespace mallard::lab {

// How many containers with how many elements.
struct repeated_size {
  std::uint64_t iterations = 0;
  std::uint64_t elements = 0;
  friend bool operator==(const repeated_size&, const repeated_size&) = default;
};

struct growth_sizes {
  std::vector<repeated_size> alone;  // or backward
  std::vector<repeated_size> among;  // iterations: of all the vectors that grow together
  std::vector<element_type> types;
};
series_plan plan_expand_forward(const growth_sizes& sizes, const series_conditions& under);
// Of the sizes only `alone`.
series_plan plan_expand_backward(const growth_sizes& sizes, const series_conditions& under);

struct shrink_sizes {
  std::vector<repeated_size> vectors;
  std::vector<element_type> types;
};
series_plan plan_shrink(const shrink_sizes& sizes, const series_conditions& under);

struct burst_sizes {
  std::uint64_t elements = 0;
  std::vector<std::uint64_t> ranges;  // such as divide the elements
  std::vector<node_container> containers;
};
series_plan plan_burst(const burst_sizes& sizes, const series_conditions& under);
// Of lists only.
series_plan plan_adaptive_pool(const burst_sizes& sizes, const series_conditions& under);

// "x1.5" or "+1MiB", as it was asked for.
struct growth_step {
  std::string name;
  std::uint64_t percent = 0;  // 150; 0: bytes are added
  std::uint64_t bytes = 0;
};
struct realloc_sizes {
  std::uint64_t rounds = 0;
  std::vector<std::uint64_t> final_bytes;
  std::vector<growth_step> steps;
};
series_plan plan_realloc(const realloc_sizes& sizes, const series_conditions& under);

struct mixed_sizes {
  std::vector<int> live;  // log2 of blocks
  std::uint64_t operations_per_block = 0;
  std::uint64_t low = 0;  // bytes
  std::uint64_t high = 0;
};
series_plan plan_mixed(const mixed_sizes& sizes, const series_conditions& under);

// The names that are used in options and results.
std::string_view to_string(element_type type);
std::string_view to_string(growth_form form);
std::string_view to_string(node_container what);

}  // namespace mallard::lab
