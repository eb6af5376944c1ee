// Shared by the benches of arrays that grow and shrink.
#pragma once

#include <string>
#include <vector>

#include "lab/kernels/extended_work.hpp"
#include "lab/kernels/strategy_bench.hpp"

namespace mallard::lab {

// In the order of element_type.
inline std::vector<std::string> element_types() {
  return {"int", "pod64", "string"};
}
inline std::vector<std::string> node_containers() {
  return {"list", "stable_vector"};
}

// Sizes such as "10^4x10^4,100x500", as the coordinates "iterations", the number of containers, and
// "elements" in each.
axis repeated_sizes(std::string usual, std::string quick);

axis type_axis();

// Contenders with a kernel for vectors that grow in this form.
rivals_of growing(growth_form form);
task grow(const contender& who, const place& at, growth_form form);

// On the page: their section, and the bases of their figures.
page_section arrays_section();
page_topic extended_allocators();
std::vector<std::string> extended_bases();
page_card bars_by_elements(std::vector<std::string> measures, std::string hint = {});
page_card growth_card(std::string hint);

std::vector<measure_kind> growth_measures();
std::vector<figure_kind> growth_figures();

// The divisor for seconds per element, for benches whose cells have "time".
double elements_in_all(const place& at);

}  // namespace mallard::lab
