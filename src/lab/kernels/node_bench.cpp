#include "lab/kernels/node_bench.hpp"

#include <fmt/format.h>

#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

constexpr std::uint64_t most_nodes = 1'000'000'000;

double nodes_of(const place& at) {
  return at.real("elements");
}

}  // namespace

axis elements_axis() {
  return counts("elements", "2000000", "Elements of the container", 1, most_nodes)
      .quickly("100000");
}

axis ranges_axis(std::string usual, std::uint64_t lowest) {
  axis made =
      counts("range", std::move(usual), "Elements inserted and erased at once", lowest, most_nodes);
  made.name = "ranges";
  return made;
}

bool ranges_fit(const place& at) {
  if (at.number("elements") % at.number("range") == 0) return true;
  throw usage_error(fmt::format("--ranges: {} elements are not so many ranges of {}",
                                at.number("elements"), at.number("range")));
}

page_section nodes_section() {
  return {.id = "nodes",
          .name = "Nodes",
          .title = "Nodes: in bursts, and from pools",
          .text =
              "After Gaztañaga: lists filled and emptied by ranges. Bars are times in proportion "
              "to one column’s: below 1× is faster.",
          .order = 70,
          .method = {extended_allocators()}};
}

page_card bars_by_range(std::vector<std::string> measures, std::string hint) {
  return {.hint = std::move(hint),
          .along = "range",
          .along_title = "Nodes in a range",
          .measures = std::move(measures),
          .bases = extended_bases(),
          .bars = true};
}

std::vector<measure_kind> node_measures() {
  return {{"insert", "s", "Insertion"},
          {"erase", "s", "Erasure"},
          {"calls", "count", "Allocator calls"},
          peak_measure()};
}

std::vector<figure_kind> node_figures() {
  return {{.title = "ns per node inserted", .measure = "insert", .scale = 1e9, .per = nodes_of},
          {.title = "ns per node erased", .measure = "erase", .scale = 1e9, .per = nodes_of}};
}

}  // namespace mallard::lab
