// Fills vectors that have room only in front of them.
#include "lab/kernels/array_bench.hpp"

namespace mallard::lab {

bench make_expand_backward() {
  return {
      .name = "expand-backward",
      .summary = "Vectors that are filled, with room in front of them only",
      .title = "Vectors that grow backward",
      .contenders = growing(growth_form::backward),
      .axes = {type_axis(), repeated_sizes("10^7x10,10^6x100,10^5x1000,10^4x10^4,10x10^7",
                                           "10^5x10,10^4x100,1000x1000,100x10^4,1x10^6")},
      .kernel = [](const contender& who,
                   const place& at) { return grow(who, at, growth_form::backward); },
      .measures = growth_measures(),
      .figures = growth_figures(),
      .table = {.tables = {"type"},
                .rows = {"elements", "iterations"},
                .columns = across::columns,
                .base = "std@boost"},
      .expected_seconds = [](const place& at) { return 5e-9 * elements_in_all(at); },
      .page = {.section = arrays_section(),
               .cards = {growth_card(
                   "Growing backward moves the elements, but needs no second array.")}},
  };
}

}  // namespace mallard::lab
