// Containers of nodes, filled and emptied by ranges.
#include "lab/kernels/node_bench.hpp"

namespace mallard::lab {

bench make_burst() {
  return {
      .name = "burst",
      .summary = "Containers of nodes, filled and emptied by ranges",
      .title = "Nodes in bursts",
      .contenders = columns_with([](const column& one) {
        return find_burst_kernel(one, node_container::list) != nullptr;
      }),
      .axes = {words("container", node_containers(), "all", "list, stable_vector"), elements_axis(),
               ranges_axis("10,100,1000,10000", 2)},
      .kernel =
          [](const contender& who, const place& at) {
            const auto what = choice_of<node_container>(at, "container", node_containers());
            const burst_work work{count_of(at, "elements"), count_of(at, "range")};
            return make_task(find_burst_kernel(column_of(who), what), work);
          },
      .measures = node_measures(),
      .main = "insert",
      .figures = node_figures(),
      .table = {.tables = {"container"},
                .rows = {"range", "elements"},
                .columns = across::columns,
                .base = "std@boost"},
      .expected_seconds = [](const place& at) { return 150e-9 * at.real("elements"); },
      .accept = ranges_fit,
      .page = {.section = nodes_section(),
               .cards = {bars_by_range({"insert", "erase", "calls"},
                                       "v1 and pools of version 1 are called for each node, all "
                                       "others once for a range.")},
               .headlines = {{.title = "Lists filled in bursts, over node by node",
                              .subject = "Lists of nodes in bursts have",
                              .text = "the speed of those of single nodes",
                              .measure = "insert",
                              .who = {.strategy = "v2", .peer = "mallard"},
                              .over = {.strategy = "v1", .peer = "mallard"},
                              .where = {{"container", "list"}}}}},
  };
}

}  // namespace mallard::lab
