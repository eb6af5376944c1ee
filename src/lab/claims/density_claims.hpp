// What the claims about Benchmark I have in common: groups of strategies, remarks, and the shapes
// of comparison that come again and again. A ratio "x / y" is time over time: above 1, x is slower.
#pragma once

#include <string_view>
#include <vector>

#include "lab/claims/claim_table.hpp"

namespace mallard::lab::density {

inline const names monotonic = {"AS3", "AS4", "AS5", "AS6"};
inline const names multipool = {"AS7", "AS8", "AS9", "AS10"};
inline const names combined = {"AS11", "AS12", "AS13", "AS14"};
inline const names local = {"AS3", "AS4",  "AS5",  "AS6",  "AS7",  "AS8",
                            "AS9", "AS10", "AS11", "AS12", "AS13", "AS14"};

// Pairs that differ in one property only.
inline const names local_virtual = {"AS5", "AS6", "AS9", "AS10", "AS13", "AS14"};
inline const names local_direct = {"AS3", "AS4", "AS7", "AS8", "AS11", "AS12"};
inline const names normal = {"AS3", "AS5", "AS7", "AS9", "AS11", "AS13"};
inline const names winked = {"AS4", "AS6", "AS8", "AS10", "AS12", "AS14"};
inline const names pool_normal = {"AS7", "AS9", "AS11", "AS13"};
inline const names pool_winked = {"AS8", "AS10", "AS12", "AS14"};

inline const names every_structure = {"DS1", "DS2", "DS3", "DS4",  "DS5",  "DS6",
                                      "DS7", "DS8", "DS9", "DS10", "DS11", "DS12"};

inline constexpr std::string_view scrambled =
    "The published AS1 and AS2 ran on a deliberately scrambled heap, all others on a clean one.";
inline constexpr std::string_view hashing =
    "The published strings of all strategies but AS1 did not cache their hash, which costs time in "
    "sets of strings whatever the allocator.";

inline comparison local_against_global(const char* ds, double at_least) {
  return {.label = "AS1 / each local strategy",
          .structures = {ds},
          .left = {"AS1"},
          .right = local,
          .at_least = at_least,
          .what = over::strategy};
}

// The order monotonic, multipool on monotonic, multipool.
inline std::vector<comparison> monotonic_leads(const char* ds) {
  return {{.label = "multipool / monotonic",
           .structures = {ds},
           .left = multipool,
           .right = monotonic,
           .at_least = 1},
          {.label = "multipool on monotonic / monotonic",
           .structures = {ds},
           .left = combined,
           .right = monotonic,
           .at_least = 1},
          {.label = "AS1 / monotonic",
           .structures = {ds},
           .left = {"AS1"},
           .right = monotonic,
           .at_least = 1}};
}

inline comparison winking_gains(const char* ds, double at_least) {
  return {.label = "destroyed / winked out",
          .structures = {ds},
          .left = normal,
          .right = winked,
          .at_least = at_least};
}

inline comparison virtual_overhead(const char* ds, double at_least, double at_most) {
  return {.label = "abstract base / type parameter",
          .structures = {ds},
          .left = local_virtual,
          .right = local_direct,
          .at_least = at_least,
          .at_most = at_most};
}

inline comparison global_virtual_overhead(const char* ds, double at_least, double at_most) {
  return {.label = "AS2 / AS1",
          .structures = {ds},
          .left = {"AS2"},
          .right = {"AS1"},
          .at_least = at_least,
          .at_most = at_most};
}

// The claims by part of the section.
std::vector<claim> flat_claims();     // DS1 to DS4
std::vector<claim> vector_claims();   // DS5 to DS8
std::vector<claim> set_claims();      // DS9 to DS12
std::vector<claim> general_claims();  // the observations at its end
std::vector<claim> talk_claims();     // the slides and the talk on Benchmark I

}  // namespace mallard::lab::density
