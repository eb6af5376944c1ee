// False sharing: what the slides and the talk say of counters of different threads on one cache
// line, in our own words. The total number of increments does not depend on the number of threads.
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {
namespace {

constexpr std::string_view shown_elsewhere =
    "The slides show curves of a 24-core machine without figures; the bounds are ours.";

condition form(std::string_view name) {
  return {"form", {.words = {name}}};
}

// The time of one form divided by that of another, by the same strategy with as many threads, each
// on a core of its own.
comparison forms(std::string_view label, std::string_view above, std::string_view below,
                 double at_least, double at_most = any) {
  return {.label = label,
          .left = {"AS1"},
          .right = {"AS1"},
          .at_least = at_least,
          .at_most = at_most,
          .bench = "false-sharing",
          .where = {{"threads", {.first = 2}}, {"threads_per_core", {.first = 1, .last = 1}}},
          .left_at = {form(above)},
          .right_at = {form(below)}};
}

comparison with_strategies(comparison what, std::string_view left, std::string_view right) {
  what.left = {left};
  what.right = {right};
  return what;
}

comparison with_threads(std::string_view label, std::string_view name, double at_least,
                        double at_most) {
  return {.label = label,
          .left = {"AS1"},
          .at_least = at_least,
          .at_most = at_most,
          .at = {.first = 2},
          .base = {.first = 1, .last = 1},
          .bench = "false-sharing",
          .along = "threads",
          .where = {form(name), {"threads_per_core", {.first = 1, .last = 1}}}};
}

}  // namespace

std::vector<claim> false_sharing_claims() {
  return {
      {"FS-1",
       "False sharing",
       "Where threads count in one shared array, more threads take no less time",
       shown_elsewhere,
       {with_threads("shared array, 2 threads and up / 1", "shared array", 0.9, any)},
       slides},
      {"FS-2",
       "False sharing",
       "Counting in a local variable scales: two threads and more take much less time than one",
       shown_elsewhere,
       {with_threads("local variable, 2 threads and up / 1", "local variable", 0, 0.65)},
       slides},
      {"FS-3",
       "False sharing",
       "With as many threads, counting in a shared array takes several times as long as in a local "
       "variable",
       shown_elsewhere,
       {forms("shared array / local variable", "shared array", "local variable", 2)},
       slides},
      {"FS-4",
       "False sharing",
       "Memory allocators make it possible that no false sharing occurs: an arena for each thread "
       "is faster than a shared array",
       "",
       {with_strategies(
           forms("shared array / arena per thread", "shared array", "arena per thread", 1.5), "AS1",
           "AS3")},
       talk},
      {"FS-5",
       "False sharing",
       "Objects that each thread has from an arena of its own are faster to write than neighbours "
       "from one allocator",
       "",
       {with_strategies(forms("objects of one allocator / of own arenas",
                              "objects of one allocator", "objects of own arenas", 1.2),
                        "AS1", "AS3")},
       talk},
  };
}

}  // namespace mallard::lab
