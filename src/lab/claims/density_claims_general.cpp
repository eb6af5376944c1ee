// P0089R1, section 7: its general observations, in our own words. Ranges are what the paper says: a
// gain of "5 to 10 %" reads "at least 1.05".
#include "lab/claims/density_claims.hpp"

namespace mallard::lab::density {

namespace {

// How a ratio changes from one structure to another.
comparison across(std::string_view label, names left, names right, std::string_view from,
                  std::string_view to) {
  return {.label = label,
          .structures = {from, to},
          .left = std::move(left),
          .right = std::move(right),
          .at = {.words = {to}},
          .base = {.words = {from}},
          .along = "ds"};
}

// The gain of every local strategy over the global heap, within a third.
comparison like_vector(std::string_view set, std::string_view vector) {
  comparison what = across("AS1 / local, sets / vectors", {"AS1"}, local, vector, set);
  what.at_least = 0.67;
  what.at_most = 1.5;
  return what;
}

comparison multipool_gain(std::string_view ints, std::string_view strings) {
  comparison what = across("AS1 / multipool, ints / strings", {"AS1"}, multipool, strings, ints);
  what.at_least = 1.5;
  return what;
}

comparison sets_over_vectors(std::string_view sets, std::string_view vectors) {
  comparison what =
      across("destroyed / winked out, of sets / of vectors", {"AS3", "AS5", "AS11", "AS13"},
             {"AS4", "AS6", "AS12", "AS14"}, vectors, sets);
  what.at_least = 1;
  return what;
}

}  // namespace

std::vector<claim> general_claims() {
  return {
      // The general observations at the end of the section.
      {"I-G.1",
       "7, end",
       "Monotonic allocators are always a big win: 4 to 20 times",
       scrambled,
       {{.label = "AS1 / monotonic",
         .structures = every_structure,
         .left = {"AS1"},
         .right = monotonic,
         .at_least = 4}}},
      {"I-G.2",
       "7, end",
       "Virtual access costs mostly 2 to 10 %, where it costs anything",
       "",
       {{.label = "abstract base / type parameter",
         .structures = every_structure,
         .left = local_virtual,
         .right = local_direct,
         .at_least = 1,
         .at_most = 1.1}}},
      {"I-G.3",
       "7, end",
       "A multipool gains generally 20 to 100 % over the global heap",
       scrambled,
       {{.label = "AS1 / multipool",
         .structures = every_structure,
         .left = {"AS1"},
         .right = multipool,
         .at_least = 1.2}}},
      {"I-G.4",
       "7, end",
       "A multipool gains more than fivefold with containers of unordered_set<int>",
       scrambled,
       {{.label = "AS1 / multipool",
         .structures = {"DS7", "DS11"},
         .left = {"AS1"},
         .right = multipool,
         .at_least = 5}}},
      {"I-G.5",
       "7, end",
       "Winking out is a modest but predictable win",
       "",
       {{.label = "destroyed / winked out, each pair",
         .structures = every_structure,
         .left = normal,
         .right = winked,
         .at_least = 1,
         .what = over::strategy}}},
      {"I-G.6",
       "7, end",
       "Winked out, containers of unordered_set<string> do best on monotonic alone, those of "
       "unordered_set<int> on multipool on monotonic",
       "The paper's own tables bear out the second half up to 2^11 only.",
       {{.label = "AS12 / AS4, strings",
         .structures = {"DS8", "DS12"},
         .left = {"AS12"},
         .right = {"AS4"},
         .at_least = 1},
        {.label = "AS4 / AS12, ints",
         .structures = {"DS7", "DS11"},
         .left = {"AS4"},
         .right = {"AS12"},
         .at_least = 1}}},
      {"I-G.7",
       "7, end",
       "With containers of vector<string> and monotonic alone, winking out has no effect",
       "",
       {{.label = "AS3, AS5 / AS4, AS6",
         .structures = {"DS6", "DS10"},
         .left = {"AS3", "AS5"},
         .right = {"AS4", "AS6"},
         .at_least = 0.97,
         .at_most = 1.03}}},
      {"I-G.8",
       "7, end",
       "No local strategy is slower than the global heap in any table",
       scrambled,
       {{.label = "AS1 / local strategy, each cell",
         .structures = every_structure,
         .left = {"AS1"},
         .right = local,
         .at_least = 1,
         .what = over::cell}}},
      {"I-G.9",
       "7, end",
       "Sets of containers (DS9 to DS12) behave like vectors of containers (DS5 to DS8)",
       "",
       {like_vector("DS9", "DS5"), like_vector("DS10", "DS6"), like_vector("DS11", "DS7"),
        like_vector("DS12", "DS8")}},
      {"I-G.10",
       "7, end",
       "In sets of containers a multipool gains much more when the elements are ints than strings",
       scrambled,
       {multipool_gain("DS9", "DS10"), multipool_gain("DS11", "DS12")}},
      {"I-G.11",
       "7, end",
       "Winking out gains most where a monotonic allocator has part in containers of sets",
       "",
       {sets_over_vectors("DS7", "DS5"), sets_over_vectors("DS8", "DS6"),
        sets_over_vectors("DS11", "DS9"), sets_over_vectors("DS12", "DS10")}},
  };
}

}  // namespace mallard::lab::density
