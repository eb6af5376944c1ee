// Pools of nodes: fills and empties lists, and reads the memory that the pool keeps.
#include "lab/kernels/node_bench.hpp"

namespace mallard::lab {

bench make_adaptive_pool() {
  std::vector<measure_kind> measures = node_measures();
  for (measure_kind one : {measure_kind{"overhead", "ratio", "Overhead of a node"},
                           measure_kind{"overhead_rss", "ratio", "Overhead of a node, resident"},
                           measure_kind{"in_use_after_erase", "B", "In use after erasing"},
                           measure_kind{"held_after_erase", "B", "Held after erasing"},
                           measure_kind{"rss_after_erase", "B", "Resident after erasing"}}) {
    measures.push_back(std::move(one));
  }
  std::vector<figure_kind> figures = node_figures();
  figures.push_back({.title = "overhead of a node, part of its size", .measure = "overhead"});
  figures.push_back(mebibytes("in use after erasing all, MiB", "in_use_after_erase"));
  figures.push_back(mebibytes("resident set after erasing all, MiB", "rss_after_erase"));
  return {
      .name = "adaptive-pool",
      .summary = "Pools of nodes: lists filled and emptied, and the memory that the pool keeps",
      .title = "Pools of nodes",
      .contenders = columns_with(find_pool_kernel),
      .axes = {elements_axis(), ranges_axis("1,10,100,1000,10000", 1)},
      .kernel =
          [](const contender& who, const place& at) {
            const pool_work work{count_of(at, "elements"), count_of(at, "range")};
            return make_task(find_pool_kernel(column_of(who)), work);
          },
      .measures = std::move(measures),
      .main = "insert",
      .figures = std::move(figures),
      .table = {.rows = {"range", "elements"}, .columns = across::columns, .base = "std@boost"},
      .expected_seconds = [](const place& at) { return 150e-9 * at.real("elements"); },
      .accept = ranges_fit,
      .page =
          {.section = nodes_section(),
           .cards = {bars_by_range(
               {"insert", "erase", "overhead", "overhead_rss", "in_use_after_erase",
                "held_after_erase", "rss_after_erase"},
               "A range of 1 is node by node. Simple segregated storage (node, fast_pool) never "
               "gives memory back; an adaptive pool keeps an empty block or two. own-adaptive "
               "belongs to one container and has no lock; adaptive and node are shared by "
               "all.")}},
  };
}

}  // namespace mallard::lab
