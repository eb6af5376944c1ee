// Benchmark III: what P0089R1, section 9, and the talk say of memory that is allocated again and
// again, in our own words. Ranges are what they say: "46 % of the time" reads "at least 1.8".
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {
namespace {

constexpr std::string_view limited =
    "The published failures come from an address space limited to 5 GB (ulimit -v 5000000), which "
    "the paper does not say; without the limit all cells ran to the end. Give --memory-limit to "
    "see them fail.";
constexpr std::string_view pooled =
    "There the largest pooled block was 2^12 bytes; ours is 2^15, so our pools do not pass these "
    "blocks on.";

condition blocks(std::int64_t first, std::int64_t last = no_limit) {
  return {"block", {.first = first, .last = last}};
}

comparison times(std::string_view label, names left, names right, double at_least, double at_most,
                 conditions_of where = {}) {
  return compared("utilization", label, std::move(left), std::move(right), at_least, at_most,
                  std::move(where));
}

comparison change(std::string_view label, std::string_view strategy, std::string_view along,
                  values at, values base, double at_least, double at_most,
                  conditions_of where = {}) {
  return {.label = label,
          .left = {strategy},
          .at_least = at_least,
          .at_most = at_most,
          .at = std::move(at),
          .base = std::move(base),
          .bench = "utilization",
          .along = along,
          .where = std::move(where)};
}

comparison each(comparison what, over group) {
  what.what = group;
  return what;
}

}  // namespace

std::vector<claim> utilization_claims() {
  return {
      {"III-1",
       "9, (1)",
       "The global heap's time does not depend on how much memory is active",
       "",
       {change("AS1, active 2^16 to 2^20 / 2^15", "AS1", "active", {.first = 16, .last = 20},
               {.first = 15, .last = 15}, 0.9, 1.1, {blocks(10, 10)})}},
      {"III-2",
       "9, (1)",
       "The global heap's time falls in proportion to the number of blocks",
       "",
       {change("AS1, blocks of 2^11 / 2^10", "AS1", "block", {.first = 11, .last = 11},
               {.first = 10, .last = 10}, 0.45, 0.6),
        change("AS1, blocks of 2^12 / 2^11", "AS1", "block", {.first = 12, .last = 12},
               {.first = 11, .last = 11}, 0.45, 0.6)}},
      {"III-3",
       "9, (2)",
       "Access through the abstract base costs the global heap nothing systematic",
       "",
       {times("AS2 / AS1", {"AS2"}, {"AS1"}, 0.9, 1.1)}},
      {"III-4",
       "9",
       "Access through the abstract base costs local allocators nothing",
       "",
       {times("AS5, AS9, AS13 / AS3, AS7, AS11, blocks of 2^10", {"AS5", "AS9", "AS13"},
              {"AS3", "AS7", "AS11"}, 0.93, 1.07, {blocks(10, 10)})}},
      {"III-5",
       "9, (3)",
       "A monotonic allocator alone is a bad idea when utilization is low: slower than the global "
       "heap in every cell",
       limited,
       {each(times("AS3, AS5 / AS1", {"AS3", "AS5"}, {"AS1"}, 1, any), over::cell)}},
      {"III-6",
       "9",
       "With blocks of 2^10 bytes it takes more than four times as long",
       limited,
       {times("AS3, AS5 / AS1, blocks of 2^10", {"AS3", "AS5"}, {"AS1"}, 4, any,
              {blocks(10, 10)})}},
      {"III-7",
       "9, tables of 2^32 and up",
       "From 2^32 bytes on, monotonic allocators fail: memory is exhausted",
       limited,
       {{.label = "AS3, AS5 from 2^32 bytes on",
         .left = {"AS3", "AS5"},
         .bench = "utilization",
         .where = {{"total", {.first = 32}}},
         .failing = true}}},
      {"III-8",
       "9, tables of 2^32 and up",
       "… and so does a multipool on a monotonic allocator with blocks above 2^12",
       pooled,
       {{.label = "AS11, AS13 from 2^32 bytes on, blocks above 2^12",
         .left = {"AS11", "AS13"},
         .bench = "utilization",
         .where = {{"total", {.first = 32}}, blocks(13)},
         .failing = true}}},
      {"III-9",
       "9, (3)",
       "With blocks above 2^12, a multipool on a monotonic allocator is as bad as that alone",
       pooled,
       {times("AS11, AS13 / AS3, AS5, blocks above 2^12", {"AS11", "AS13"}, {"AS3", "AS5"}, 0.9,
              1.1, {blocks(13)})}},
      {"III-10",
       "9, (4)",
       "With blocks up to 2^12 a multipool is about twice as fast as the global heap, or faster",
       "",
       {each(times("AS1 / AS7, AS9, blocks up to 2^12", {"AS1"}, {"AS7", "AS9"}, 1.9, any,
                   {blocks(0, 12)}),
             over::strategy)}},
      {"III-11",
       "9, (4)",
       "With blocks up to 2^12 a multipool is the fastest of all",
       "",
       {times("AS3, AS5 / AS7, AS9", {"AS3", "AS5"}, {"AS7", "AS9"}, 1, any, {blocks(0, 12)}),
        times("AS11, AS13 / AS7, AS9", {"AS11", "AS13"}, {"AS7", "AS9"}, 0.99, any,
              {blocks(0, 12)})}},
      {"III-12",
       "9, (4)",
       "With blocks above 2^12 a multipool costs a few percent more than the global heap",
       pooled,
       {times("AS7 / AS1, blocks above 2^12", {"AS7"}, {"AS1"}, 1, 1.1, {blocks(13)})}},
      {"III-13",
       "Benchmark III",
       "… which makes it slower than the global heap there",
       "The talk puts the limit at 2^11 bytes; ours is at 2^15.",
       {times("AS7 / AS1, blocks above 2^12", {"AS7"}, {"AS1"}, 1, any, {blocks(13)})},
       talk},
      {"III-14",
       "9",
       "With blocks of 2^10, a multipool takes as long on a monotonic allocator as on the heap",
       "",
       {times("AS11, AS13 / AS7, AS9, blocks of 2^10", {"AS11", "AS13"}, {"AS7", "AS9"}, 0.93, 1.1,
              {blocks(10, 10)})}},
      {"III-15",
       "7.1",
       "All local strategies but monotonic alone are close to twice as fast as the global heap",
       "Said in passing in section 7.1; true of blocks up to 2^12 only.",
       {each(times("AS1 / AS7, AS9, AS11, AS13, blocks up to 2^12", {"AS1"},
                   {"AS7", "AS9", "AS11", "AS13"}, 1.75, any, {blocks(0, 12)}),
             over::strategy)}},
      {"III-16",
       "Benchmark III",
       "Where utilization is low and blocks are below 2^12, a multipool on a monotonic allocator "
       "is "
       "the one to use: ahead of the global heap, and as good as a multipool alone",
       "",
       {times("AS1 / AS11, AS13, blocks below 2^12", {"AS1"}, {"AS11", "AS13"}, 1, any,
              {blocks(0, 11)}),
        times("AS7, AS9 / AS11, AS13, blocks below 2^12", {"AS7", "AS9"}, {"AS11", "AS13"}, 0.95,
              any, {blocks(0, 11)})},
       talk},
      {"III-17",
       "9",
       "More memory in total gives similar results (2^31 and up against 2^30)",
       "",
       {{.label = "AS1 / AS7, 2^31 bytes and up / 2^30, blocks of 2^10",
         .left = {"AS1"},
         .right = {"AS7"},
         .at_least = 0.9,
         .at_most = 1.3,
         .at = {.first = 31},
         .base = {.first = 30, .last = 30},
         .bench = "utilization",
         .along = "total",
         .where = {blocks(10, 10)}}}},
  };
}

}  // namespace mallard::lab
