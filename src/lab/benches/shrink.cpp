// Vectors that return unneeded memory.
#include "lab/kernels/array_bench.hpp"

namespace mallard::lab {
namespace {

shrink_work work_at(const place& at) {
  return {count_of(at, "iterations"), count_of(at, "elements"),
          choice_of<element_type>(at, "type", element_types())};
}

}  // namespace

bench make_shrink() {
  return {
      .name = "shrink",
      .summary = "Vectors that give back what they no longer need",
      .title = "Vectors that shrink",
      .contenders = columns_with(find_shrink_kernel),
      .axes = {type_axis(),
               repeated_sizes("100x10^4,1000x2000,10^4x500", "2x10^4,20x2000,200x500")},
      .kernel =
          [](const contender& who, const place& at) {
            return make_task(find_shrink_kernel(column_of(who)), work_at(at));
          },
      .measures = {time_measure(),
                   {"success", "ratio", "Success in place", better::more},
                   {"calls", "count", "Allocator calls"},
                   {"rss_after", "B", "Resident at the end"},
                   peak_measure()},
      .figures =
          {{.title = "ns per element", .measure = "time", .scale = 1e9, .per = elements_in_all},
           {.title = "part of the tries in place that succeeded",
            .measure = "success",
            .which = better::more},
           mebibytes("resident set afterwards, MiB", "rss_after")},
      .table = {.tables = {"type"},
                .rows = {"elements", "iterations"},
                .columns = across::columns,
                .base = "std@boost"},
      // Without shrinking in place, every fifth element makes the vector copy half of its elements,
      // on average.
      .expected_seconds =
          [](const place& at) {
            return 0.2e-9 * at.real("iterations") * at.real("elements") * at.real("elements");
          },
      .page = {.section = arrays_section(),
               .cards = {bars_by_elements({"time", "success", "rss_after"},
                                          "An array is emptied, and shrunk to fit after each five "
                                          "elements.")}},
  };
}

}  // namespace mallard::lab
