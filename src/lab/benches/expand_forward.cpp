// Fills vectors that grow in place if possible, alone and among others.
#include "lab/kernels/array_bench.hpp"

namespace mallard::lab {
namespace {

// In the order of growth_form.
std::vector<std::string> forms() {
  return {"alone", "among"};
}

// The article's sizes, and a few large ones. For "among": arrays that exceed the cache together
// with the others.
axis_text by_form(const char* alone, const char* among) {
  return [=](const place& before) -> std::string {
    return before.word("form") == "alone" ? alone : among;
  };
}

growth_form form_at(const place& at) {
  return choice_of<growth_form>(at, "form", forms());
}

}  // namespace

bench make_expand_forward() {
  return {
      .name = "expand-forward",
      .summary = "Vectors that are filled, and grow in place where they can",
      .title = "Vectors that grow forward",
      .contenders = growing(growth_form::alone),
      .axes = {words("form", forms(), "all", "alone: one vector grows, among: 101 do, in turn"),
               type_axis(),
               repeated_sizes("", "")
                   .defaults(by_form("10^7x10,10^6x100,10^5x1000,10^4x10^4,10x10^7", "10x10^5"))
                   .quickly(by_form("10^5x10,10^4x100,1000x1000,100x10^4,1x10^6", "1x10^5"))
                   .said("10^7x10,10^6x100,10^5x1000,10^4x10^4,10x10^7; among others 10x10^5")},
      .kernel = [](const contender& who, const place& at) { return grow(who, at, form_at(at)); },
      .measures = growth_measures(),
      .figures = growth_figures(),
      .table = {.tables = {"form", "type"},
                .rows = {"elements", "iterations"},
                .columns = across::columns,
                .base = "std@boost"},
      .expected_seconds = [](const place& at) { return 5e-9 * elements_in_all(at); },
      .page = {.section = arrays_section(),
               .cards = {growth_card(
                   "v1: an ordinary allocator. v2: one that tells the real size and can grow an "
                   "array in place; v2-none may not grow it, v2-fwd only forward, v2-bwd only "
                   "backward. Alone: one array at a time; among: 101 of them, an element for each "
                   "in turn.")},
               .headlines = {{.title = "Large arrays that grow in place, over std’s",
                              .subject = "Large arrays that grow in place have",
                              .text = "the speed of std’s",
                              .who = {.strategy = "v2", .peer = "mallard"},
                              .over = {.strategy = "std", .peer = "std"},
                              .where = {{"form", "alone"}},
                              .at_least = {{"elements", 10000}}}}},
  };
}

}  // namespace mallard::lab
