// Chapters 2 and 3 of Gaztañaga's article: many nodes by one call, and pools that give memory back,
// in our own words. Judged with our allocators and with Boost's own, which are the article's.
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {
namespace {

constexpr std::string_view burst_section = "ch. 2, burst allocation";
constexpr std::string_view pool_section = "ch. 3, adaptive pools";
constexpr std::string_view windows = "Said of Windows XP and Visual C++ 2003.";
constexpr std::string_view boosts_pool =
    "Node by node: judged with Boost.Pool's fast_pool_allocator, which is of that kind.";

condition ranges(std::int64_t first, std::int64_t last = no_limit) {
  return {"range", {.first = first, .last = last}};
}

comparison lists(std::string_view label, std::string_view measure, names left, names right,
                 double at_least, double at_most = any, conditions_of more = {}) {
  return of_measure(compared("burst", label, std::move(left), std::move(right), at_least, at_most,
                             {{"container", {.words = {"list"}}}}, more),
                    measure);
}

comparison pools(std::string_view label, std::string_view measure, names left, names right,
                 double at_least, double at_most = any, conditions_of where = {}) {
  return of_measure(compared("adaptive-pool", label, std::move(left), std::move(right), at_least,
                             at_most, std::move(where)),
                    measure);
}

comparison along_ranges(comparison what, values at, values base) {
  what.along = "range";
  what.at = std::move(at);
  what.base = std::move(base);
  return what;
}

comparison each_pair(comparison what) {
  what.what = over::strategy;
  return what;
}

// Of figures that may be zero.
comparison not_below(double floor, comparison what) {
  what.floor = floor;
  return what;
}

}  // namespace

std::vector<claim> burst_claims() {
  return {
      {"BU-1",
       burst_section,
       "A range of n nodes takes n calls of an ordinary allocator and one call in a burst",
       "",
       {lists("v1 / v2, calls, ranges of 100 and more", "calls", {"v1"}, {"v2"}, 50, any,
              {ranges(100)})},
       article,
       every_library},
      {"BU-2",
       burst_section,
       "Without bursts the time of a node does not depend on the length of the range",
       "",
       {along_ranges(
           lists("v1, insertion, ranges of 10^3 and more / 10", "insert", {"v1"}, {}, 0.8, 1.25),
           {.first = 1000}, {.first = 10, .last = 10})},
       article,
       every_library},
      {"BU-3",
       burst_section,
       "Bursts are twice as fast in long ranges",
       "Said of Linux: up to twice, in some of the cases.",
       {some_cell(lists("v1 / v2, insertion, ranges of 100 and more", "insert", {"v1"}, {"v2"}, 1.8,
                        any, {ranges(100)}))},
       article,
       every_library},
      {"BU-4",
       burst_section,
       "… or three times as fast",
       windows,
       {lists("v1 / v2, insertion, ranges of 10^3 and more", "insert", {"v1"}, {"v2"}, 2.7, any,
              {ranges(1000)})},
       article,
       every_library},
      {"BU-5",
       burst_section,
       "From ranges of a page of nodes on, longer ranges gain no more",
       "",
       {along_ranges(lists("v2, insertion, ranges of 10^4 / 10^3", "insert", {"v2"}, {}, 0.8, 1.25),
                     {.first = 10'000}, {.first = 1000, .last = 1000})},
       article,
       every_library},
      {"BU-6",
       burst_section,
       "Giving back in bursts is 30 % faster in long ranges",
       "",
       {lists("v1 / v2, erasure, ranges of 10^3 and more", "erase", {"v1"}, {"v2"}, 1.25, any,
              {ranges(1000)})},
       article,
       every_library},
      {"BU-7",
       burst_section,
       "… and 20 % in short ones",
       windows,
       {lists("v1 / v2, erasure, ranges of 10 to 100", "erase", {"v1"}, {"v2"}, 1.15, any,
              {ranges(10, 100)})},
       article,
       every_library},
      {"BU-8",
       burst_section,
       "Giving back gains less than allocating: the nodes are walked twice, and lie apart",
       "",
       {lists("v1 / v2 of insertion / the same of erasure, ranges of 100 and more",
              "insert_over_erase", {"v1"}, {"v2"}, 1, any, {ranges(100)})},
       article,
       every_library},
      {"BU-9",
       burst_section,
       "For short ranges Linux's standard allocator is about as fast as bursts",
       "",
       {lists("std / v2, insertion, ranges of 10", "insert", {"std@boost"}, {"v2"}, 0.8, 1.25,
              {ranges(10, 10)})},
       article,
       every_library},
      {"BU-10",
       burst_section,
       "… but not for ranges of 100 and more",
       "",
       {lists("std / v2, insertion, ranges of 100 and more", "insert", {"std@boost"}, {"v2"}, 1.1,
              any, {ranges(100)})},
       article,
       every_library},
      {"BU-11",
       burst_section,
       "Giving back in bursts is no faster than Linux's standard allocator",
       "",
       {lists("std / v2, erasure", "erase", {"std@boost"}, {"v2"}, 0, 1.05)},
       article,
       every_library},
  };
}

std::vector<claim> pool_claims() {
  constexpr std::string_view thirty_two_bits =
      "4 bytes for each node of 12 there; 8 bytes for each of 24 with 64 bits.";
  return {
      {"AP-1",
       pool_section,
       "Pools insert faster than a general-purpose allocator, node by node",
       boosts_pool,
       {each_pair(pools("v1 / pools without bursts, insertion", "insert", {"v1@boost"},
                        {"adaptive1@boost", "fast_pool@boost"}, 1))},
       article},
      {"AP-2",
       pool_section,
       "Simple segregated storage is the fastest of the pools without bursts, adaptive pools come "
       "next",
       boosts_pool,
       {pools("adaptive1 / fast_pool, insertion", "insert", {"adaptive1@boost"},
              {"fast_pool@boost"}, 1)},
       article},
      {"AP-3",
       pool_section,
       "With bursts, all pools insert about equally fast",
       "",
       {pools("adaptive / node, insertion, ranges of 10 and more", "insert", {"adaptive"}, {"node"},
              0.8, 1.25, {ranges(10)})},
       article,
       every_library},
      {"AP-4",
       pool_section,
       "… and so does the general-purpose allocator with bursts",
       "",
       {each_pair(pools("v2 / pools, insertion, ranges of 10 and more", "insert", {"v2"},
                        {"adaptive", "node"}, 0.8, 1.25, {ranges(10)}))},
       article,
       every_library},
      {"AP-5",
       pool_section,
       "Pools with bursts are faster than without, in long ranges",
       "",
       {pools("adaptive1 / adaptive, insertion, ranges of 100 and more", "insert",
              {"adaptive1@boost"}, {"adaptive@boost"}, 1.2, any, {ranges(100)})},
       article},
      {"AP-6",
       pool_section,
       "Without bursts, adaptive pools erase slower than simple segregated storage and faster than "
       "a general-purpose allocator",
       boosts_pool,
       {pools("v1 / adaptive1, erasure", "erase", {"v1@boost"}, {"adaptive1@boost"}, 1),
        pools("adaptive1 / fast_pool, erasure", "erase", {"adaptive1@boost"}, {"fast_pool@boost"},
              1)},
       article},
      {"AP-7",
       pool_section,
       "With bursts, adaptive pools erase about as fast as simple segregated storage",
       "",
       {pools("adaptive / node, erasure, ranges of 10 and more", "erase", {"adaptive"}, {"node"},
              0.8, 1.25, {ranges(10)})},
       article,
       every_library},
      {"AP-8",
       pool_section,
       "… and in long ranges slightly faster",
       windows,
       {pools("node / adaptive, erasure, ranges of 10^3 and more", "erase", {"node"}, {"adaptive"},
              1, 1.5, {ranges(1000)})},
       article,
       every_library},
      {"AP-9",
       pool_section,
       "dlmalloc needs a third more memory than the nodes have",
       thirty_two_bits,
       {pools("v1, overhead", "overhead", {"v1@boost"}, {}, 0.25, 0.45)},
       article},
      {"AP-10",
       pool_section,
       "Pools need less than 2 % more than the nodes have",
       "",
       {each_pair(not_below(
           1e-4, pools("pools, overhead", "overhead", {"adaptive", "node"}, {}, 0, 0.02)))},
       article,
       every_library},
      {"AP-11",
       pool_section,
       "When all has been erased, a general-purpose allocator holds nothing any more",
       "",
       {each_pair(not_below(1, pools("bytes in use after erasing (1: none)", "in_use_after_erase",
                                     {"v1", "v2"}, {}, 0, 4096)))},
       article,
       every_library},
      {"AP-12",
       pool_section,
       "… simple segregated storage holds all of it",
       "A node of a list of ints has 24 bytes.",
       {not_below(1e-6, pools("node, bytes in use after erasing, per node", "in_use_per_element",
                              {"node"}, {}, 16))},
       article,
       every_library},
      {"AP-13",
       pool_section,
       "… and adaptive pools hold the two blocks that they keep",
       "The article's blocks had 4 KiB; up to 64 KiB count.",
       {not_below(1, pools("adaptive, bytes in use after erasing (1: none)", "in_use_after_erase",
                           {"adaptive"}, {}, 0, 65536))},
       article,
       every_library},
      {"AP-14",
       pool_section,
       "What adaptive pools give back goes back to the system: less memory is resident afterwards "
       "than with simple segregated storage",
       "",
       {not_below(4096, pools("node / adaptive, resident after erasing", "rss_after_erase",
                              {"node"}, {"adaptive"}, 1.2))},
       article,
       every_library},
  };
}

}  // namespace mallard::lab
