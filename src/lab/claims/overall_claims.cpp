// What the documents say of more than one benchmark: of other mallocs, and in their conclusions.
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {
namespace {

constexpr std::string_view which =
    "No figures were published. Judged with the mallocs measured here, newer than theirs, by the "
    "global heap's figure under each.";

// The global heap's figure under each other malloc, over that under the C library's own. "As well"
// allows for 3 %.
comparison other_mallocs(std::string_view bench, std::string_view measure,
                         conditions_of where = {}) {
  return {.label = "AS1, other malloc / glibc",
          .left = {"AS1"},
          .at_least = 0.97,
          .what = over::value,
          .at = {.words = {"glibc"}, .except = true},
          .base = {.words = {"glibc"}},
          .bench = bench,
          .measure = measure,
          .along = "malloc",
          .by = "malloc",
          .where = std::move(where)};
}

// The best of some strategies is at least as fast as the global heap; 3 % for "no worse".
comparison best_local(std::string_view bench, std::string_view measure, names strategies,
                      conditions_of where = {}) {
  return {.label = "AS1 / best local strategy",
          .left = {"AS1"},
          .right = std::move(strategies),
          .at_least = 0.97,
          .what = over::strategy,
          .bench = bench,
          .measure = measure,
          .how_many = need::some,
          .where = std::move(where)};
}

comparison base_over_type(std::string_view bench, std::string_view measure, names base, names type,
                          conditions_of where = {}) {
  return {.label = "abstract base / type parameter",
          .left = std::move(base),
          .right = std::move(type),
          .at_most = 1.05,
          .bench = bench,
          .measure = measure,
          .where = std::move(where)};
}

const condition own = {"form", {.words = {"own"}}};

}  // namespace

std::vector<claim> malloc_claims() {
  constexpr std::string_view section = "2";
  return {
      {"M-1",
       section,
       "In Benchmark I the native malloc does as well as others, or better",
       which,
       {other_mallocs("density", "time")}},
      {"M-2",
       section,
       "In Benchmark II the native malloc does as well as others, or better",
       which,
       {other_mallocs("locality", "access_after")}},
      {"M-3",
       section,
       "In Benchmark III the native malloc does as well as others, or better",
       which,
       {other_mallocs("utilization", "time")}},
      {"M-4",
       section,
       "In Benchmark IV the native malloc does as well as others, or better",
       "The talk: others are good with many threads, which only this benchmark has.",
       {other_mallocs("contention", "time", {own})}},
      {"M-5",
       section,
       "It is not about how good the global allocator is: local allocators are ahead of every "
       "other "
       "malloc, too",
       which,
       {{.label = "AS1 / AS7",
         .left = {"AS1"},
         .right = {"AS7"},
         .at_least = 1,
         .what = over::value,
         .bench = "contention",
         .by = "malloc",
         .where = {own, {"malloc", {.words = {"glibc"}, .except = true}}}}}},
  };
}

std::vector<claim> overall_claims() {
  return {
      {"X-1",
       "Conclusion",
       "In every benchmark some of the local allocators are no worse than the global heap, and "
       "typically much better",
       "Without the scrambled heap no local allocator matched malloc in some structures of "
       "Benchmark I on the published machine.",
       {best_local("density", "time",
                   {"AS3", "AS4", "AS5", "AS6", "AS7", "AS8", "AS9", "AS10", "AS11", "AS12", "AS13",
                    "AS14"}),
        best_local("locality", "degradation", {"AS7", "AS9", "AS13"},
                   {{"subsystems", {.first = 2}}}),
        best_local("utilization", "time", {"AS3", "AS5", "AS7", "AS9", "AS11", "AS13"}),
        best_local("contention", "time", {"AS3", "AS5", "AS7", "AS9", "AS11", "AS13"}, {own})},
       slides},
      {"X-2",
       "Conclusion",
       "The abstract base costs little or nothing",
       "In the original's Benchmark IV the calls were not virtual.",
       {base_over_type("density", "time", {"AS5", "AS6", "AS9", "AS10", "AS13", "AS14"},
                       {"AS3", "AS4", "AS7", "AS8", "AS11", "AS12"}),
        base_over_type("locality", "access_after", {"AS9"}, {"AS7"}),
        base_over_type("utilization", "time", {"AS5", "AS9", "AS13"}, {"AS3", "AS7", "AS11"}),
        base_over_type("contention", "time", {"AS5", "AS9", "AS13"}, {"AS3", "AS7", "AS11"},
                       {own})},
       slides},
  };
}

}  // namespace mallard::lab
