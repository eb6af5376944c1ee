// Shared by the benches of containers of nodes.
#pragma once

#include <string>
#include <vector>

#include "lab/kernels/array_bench.hpp"

namespace mallard::lab {

axis elements_axis();
// The coordinate "range": elements inserted and erased at once.
axis ranges_axis(std::string usual, std::uint64_t lowest);
// Whether the ranges divide the elements, so that all contenders do the same work; throws
// usage_error.
bool ranges_fit(const place& at);

page_section nodes_section();
page_card bars_by_range(std::vector<std::string> measures, std::string hint);

std::vector<measure_kind> node_measures();
std::vector<figure_kind> node_figures();

}  // namespace mallard::lab
