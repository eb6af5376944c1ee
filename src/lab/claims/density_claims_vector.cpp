// P0089R1, section 7: what it says of DS5 to DS8, in our own words. Ranges are what the paper says:
// a gain of "5 to 10 %" reads "at least 1.05".
#include "lab/claims/density_claims.hpp"

namespace mallard::lab::density {

std::vector<claim> vector_claims() {
  return {
      // DS5, vector<vector<int>>
      {"I-5.1",
       "7.5",
       "DS5: every local strategy is at least three times as fast as the global heap",
       scrambled,
       {local_against_global("DS5", 3)}},
      {"I-5.2",
       "7.5",
       "DS5: virtual or direct access makes no significant difference",
       "",
       {virtual_overhead("DS5", 0.95, 1.05), global_virtual_overhead("DS5", 0.95, 1.05)}},
      {"I-5.3",
       "7.5",
       "DS5: winking out a monotonic allocator gains 10 to 30 %",
       "",
       {{.label = "AS3, AS5 / AS4, AS6",
         .structures = {"DS5"},
         .left = {"AS3", "AS5"},
         .right = {"AS4", "AS6"},
         .at_least = 1.1}}},

      // DS6, vector<vector<string>>
      {"I-6.1",
       "7.6",
       "DS6: the global heap is the slowest, accessed directly or not",
       scrambled,
       {local_against_global("DS6", 1), global_virtual_overhead("DS6", 0.97, 1.03)}},
      {"I-6.2", "7.6", "DS6: the monotonic allocator is the best", scrambled,
       monotonic_leads("DS6")},
      {"I-6.3",
       "7.6",
       "DS6: winking out does nothing for monotonic alone, and saves 5 to 15 % where a multipool "
       "is "
       "involved",
       "",
       {{.label = "AS3, AS5 / AS4, AS6",
         .structures = {"DS6"},
         .left = {"AS3", "AS5"},
         .right = {"AS4", "AS6"},
         .at_least = 0.97,
         .at_most = 1.03},
        {.label = "multipools, destroyed / winked out",
         .structures = {"DS6"},
         .left = pool_normal,
         .right = pool_winked,
         .at_least = 1.05}}},
      {"I-6.4",
       "7.6",
       "DS6: beyond 2^13 the global heap's time per string falls again",
       scrambled,
       {{.label = "AS1, 2^15 and up / 2^10 to 2^13",
         .structures = {"DS6"},
         .left = {"AS1"},
         .right = {},
         .at_most = 0.95,
         .at = {.first = 15},
         .base = {.first = 10, .last = 13}}}},

      // DS7, vector<unordered_set<int>>
      {"I-7.1",
       "7.7",
       "DS7: monotonic beats the global heap by about ten to twenty times",
       scrambled,
       {{.label = "AS1 / monotonic",
         .structures = {"DS7"},
         .left = {"AS1"},
         .right = monotonic,
         .at_least = 9}}},
      {"I-7.2",
       "7.7",
       "DS7: virtual access costs local ones 5 to 15 % and the global heap nothing",
       "",
       {virtual_overhead("DS7", 1.05, 1.15), global_virtual_overhead("DS7", 0.97, 1.03)}},
      {"I-7.3",
       "7.7",
       "DS7: winking out gains 5 to 35 % with every local allocator, most with the combined one",
       "",
       {{.label = "destroyed / winked out, each pair",
         .structures = {"DS7"},
         .left = normal,
         .right = winked,
         .at_least = 1.05,
         .what = over::strategy}}},

      // DS8, vector<unordered_set<string>>
      {"I-8.1", "7.8", "DS8: the global heap is slowest and the monotonic allocator best",
       scrambled, monotonic_leads("DS8")},
      {"I-8.2",
       "7.8",
       "DS8: virtual access costs the global heap about 10 %, local ones nearly none",
       hashing,
       {global_virtual_overhead("DS8", 1.02, 1.12), virtual_overhead("DS8", 0.93, 1.03)}},
      {"I-8.3",
       "7.8",
       "DS8: winking out gains 5 to 25 % with every local allocator",
       "",
       {winking_gains("DS8", 1.05)}},
  };
}

}  // namespace mallard::lab::density
