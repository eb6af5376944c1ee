// What the talk says of Benchmark I beyond the paper, in our own words.
#include "lab/claims/density_claims.hpp"
#include "lab/claims/series_claims.hpp"

namespace mallard::lab::density {
namespace {

comparison per_structure(comparison what) {
  what.structures = every_structure;
  what.what = over::value;
  return what;
}

}  // namespace

std::vector<claim> talk_claims() {
  return {
      {"I-T.1",
       "Benchmark I",
       "The global heap is inferior to local allocators in every structure",
       scrambled,
       {per_structure({.label = "AS1 / local", .left = {"AS1"}, .right = local, .at_least = 1})},
       talk},
      {"I-T.2",
       "Benchmark I",
       "For what is built up, used and dropped, a monotonic allocator is superior in every "
       "structure",
       "The published tables show the multipools ahead in DS1.",
       {per_structure({.label = "multipools / monotonic",
                       .left = multipool,
                       .right = monotonic,
                       .at_least = 1}),
        per_structure({.label = "multipools on monotonic / monotonic",
                       .left = combined,
                       .right = monotonic,
                       .at_least = 0.97})},
       talk},
      {"I-T.3",
       "Benchmark I",
       "DS2: a multipool is twice as fast as the global heap",
       scrambled,
       {{.label = "AS1 / multipool",
         .structures = {"DS2"},
         .left = {"AS1"},
         .right = multipool,
         .at_least = 1.75}},
       talk},
      {"I-T.4",
       "Benchmark I",
       "DS5: the monotonic allocator is about five times as fast as the global heap",
       scrambled,
       {{.label = "AS1 / monotonic",
         .structures = {"DS5"},
         .left = {"AS1"},
         .right = monotonic,
         .at_least = 4}},
       talk},
  };
}

}  // namespace mallard::lab::density
