// Chapter 1 of Gaztañaga's article: arrays that grow and shrink where they are, in our own words.
// Judged with our heap and with Boost's own allocators, which are the article's.
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {
namespace {

constexpr std::string_view forward_section = "ch. 1, forward expansion";
constexpr std::string_view backward_section = "ch. 1, backwards expansion";
constexpr std::string_view shrink_section = "ch. 1, shrink to fit";
constexpr std::string_view windows = "Said of Windows XP and Visual C++ 2003.";

condition elements(std::int64_t first, std::int64_t last = no_limit) {
  return {"elements", {.first = first, .last = last}};
}
condition type(std::string_view name) {
  return {"type", {.words = {name}}};
}
const condition many = elements(10'000, 100'000);

// One array at a time, as in the article, and not many that grow in turn.
conditions_of alone(conditions_of more = {}) {
  more.push_back({"form", {.words = {"alone"}}});
  return more;
}

// Of containers of the wrapped ints that the article measures.
comparison ints(std::string_view bench, std::string_view label, names left, names right,
                double at_least, double at_most = any, conditions_of more = {}) {
  return compared(bench, label, std::move(left), std::move(right), at_least, at_most, {type("int")},
                  more);
}

// From the smallest containers to the largest. Not as many are made of each, so per element.
comparison with_elements(comparison what, std::int64_t large, std::int64_t small) {
  what.measure = "per_element";
  what.along = "elements";
  what.beside = {"iterations"};
  what.at = {.first = large};
  what.base = {.first = 1, .last = small};
  return what;
}

}  // namespace

std::vector<claim> expansion_claims() {
  constexpr std::string_view forward = "expand-forward";
  constexpr std::string_view backward = "expand-backward";
  constexpr std::string_view shrink = "shrink";
  comparison heavier = ints(forward, "v1 / v2, 64 bytes each / ints", {"v1"}, {"v2"}, 1);
  heavier.along = "type";
  heavier.at = {.words = {"pod64"}};
  heavier.base = {.words = {"int"}};
  heavier.where = alone({many});
  comparison expanded = of_measure(ints(forward, "v2, part of the tries that grew in place", {"v2"},
                                        {}, 0.01, any, alone({many})),
                                   "success");
  expanded.floor = 1e-6;
  return {
      {"EX-1",
       forward_section,
       "An allocator that tells the real size of what it gives is called less often by small "
       "arrays (10 elements: 4 times instead of 6)",
       "",
       {of_measure(ints(forward, "v2 / v1, calls, up to 10 elements", {"v2"}, {"v1"}, 0, 0.9,
                        alone({elements(1, 10)})),
                   "calls")},
       article,
       every_library},
      {"EX-2",
       forward_section,
       "Of large arrays (10,000 elements) it is the growth in place that doubles the speed, "
       "not the received size",
       "",
       {ints(forward, "v2-none / v2, 10^4 elements", {"v2-none"}, {"v2"}, 1.8, any, alone({many}))},
       article,
       every_library},
      {"EX-3",
       forward_section,
       "Filling a large array from its end is twice as fast when it can grow in place",
       "",
       {ints(forward, "v1 / v2, 10^4 elements", {"v1"}, {"v2"}, 1.8, any, alone({many}))},
       article,
       every_library},
      {"EX-4",
       forward_section,
       "… or 2.5 times as fast",
       windows,
       {ints(forward, "v1 / v2, 10^4 elements", {"v1"}, {"v2"}, 2.3, any, alone({many}))},
       article,
       every_library},
      {"EX-5",
       forward_section,
       "Large arrays do grow in place where the allocator offers it",
       "Where an array can be moved by the kernel without a copy, that counts as moved.",
       {std::move(expanded)},
       article,
       every_library},
      {"EX-6",
       forward_section,
       "Elements that are dearer to copy gain more by growth in place",
       "The article names objects without a move constructor; judged with elements of 64 bytes.",
       {std::move(heavier)},
       article,
       every_library},
      {"EX-7",
       forward_section,
       "Linux's standard allocator is about as fast as plain dlmalloc",
       "glibc's malloc was ptmalloc2 then, built on dlmalloc; since 2017 it has a cache for each "
       "thread.",
       {ints(forward, "std / v1, both of Boost", {"std@boost"}, {"v1@boost"}, 0.8, 1.25, alone())},
       article},
      {"EX-8",
       backward_section,
       "Growing backwards is slightly faster than a new allocation",
       "",
       {ints(backward, "v1 / v2-bwd", {"v1"}, {"v2-bwd"}, 1)},
       article,
       every_library},
      {"EX-9",
       backward_section,
       "… also than a new allocation whose real size is told",
       "",
       {ints(backward, "v2-none / v2-bwd", {"v2-none"}, {"v2-bwd"}, 1)},
       article,
       every_library},
      {"EX-10",
       backward_section,
       "Growing backwards needs less memory at the peak, for there is never a second array",
       "Judged where arrays are large beside the process: 10^6 elements and up.",
       {of_measure(ints(backward, "v2-bwd / v1, peak memory, 10^6 elements and up", {"v2-bwd"},
                        {"v1"}, 0, 0.95, {elements(1'000'000)}),
                   "rss")},
       article,
       every_library},
      {"EX-11",
       shrink_section,
       "Shrinking in place is faster than moving to a smaller array, at every size",
       "",
       {every_cell(ints(shrink, "v1, std / v2", {"v1", "std@boost"}, {"v2"}, 1))},
       article,
       every_library},
      {"EX-12",
       shrink_section,
       "… up to 90 times as fast",
       windows,
       {some_cell(ints(shrink, "v1 / v2", {"v1"}, {"v2"}, 80))},
       article,
       every_library},
      {"EX-13",
       shrink_section,
       "The larger the array, the more is gained",
       "",
       {with_elements(
           ints(shrink, "v1 / v2, 2,000 elements and up / up to 500", {"v1"}, {"v2"}, 1.2), 2000,
           500)},
       article,
       every_library},
      {"EX-14",
       shrink_section,
       "Shrinking in place takes the same time whatever the size of the array",
       "By element erased; making the array is in it.",
       {with_elements(ints(shrink, "v2, 2,000 elements and up / up to 500", {"v2"}, {}, 0.5, 1.5),
                      2000, 500)},
       article,
       every_library},
      {"EX-15",
       shrink_section,
       "Without it, the time of each step grows with the size of the array",
       "By element erased.",
       {with_elements(ints(shrink, "v1, 2,000 elements and up / up to 500", {"v1"}, {}, 1.5), 2000,
                      500)},
       article,
       every_library},
  };
}

}  // namespace mallard::lab
