// Benchmark II: what P0089R1, section 8, and the talk say of access after a shuffle, in our own
// words. Ranges are what they say: "about four times" reads "at least 4" where it bounds from
// below.
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {
namespace {

constexpr std::string_view zeroed =
    "Three of the 432 published cells of the tables without local allocators (2^25 links with "
    "2^25 or 2^24 per list, 128 or 256 accesses) timed nothing: their number of accesses "
    "overflowed to 0.";
constexpr std::string_view shortened =
    "In the published rows of lists of 2^0 links a third of the lists were empty after the "
    "shuffle, so less was accessed after it than before.";
constexpr std::string_view column_zero =
    "Published column 0 was in fact measured with a single pop and push.";

const condition ten_million = {"links", {.first = 10'000'000, .last = 10'000'000}};
const condition several = {"subsystems", {.first = 2}};

condition sizes(std::int64_t first, std::int64_t last = no_limit) {
  return {"subsystem", {.first = first, .last = last}};
}
condition accesses(std::int64_t first, std::int64_t last = no_limit) {
  return {"accesses", {.first = first, .last = last}};
}

// Degradation: access after the shuffle as a multiple of access before it.
comparison degradation(std::string_view label, std::string_view strategy, conditions_of where) {
  return {.label = label,
          .left = {strategy},
          .bench = "locality",
          .measure = "degradation",
          .where = std::move(where)};
}

comparison at_least(comparison what, double bound) {
  what.at_least = bound;
  return what;
}
comparison between(comparison what, double low, double high) {
  what.at_least = low;
  what.at_most = high;
  return what;
}
comparison along(comparison what, std::string_view coordinate, values at, values base) {
  what.along = coordinate;
  what.at = std::move(at);
  what.base = std::move(base);
  return what;
}
comparison against(comparison what, std::string_view other) {
  what.right = {other};
  return what;
}
comparison each_cell(comparison what, need how_many = need::every) {
  what.what = over::cell;
  what.how_many = how_many;
  return what;
}

claim about_locality(std::string_view id, std::string_view section, std::string_view statement,
                     std::string_view note, std::vector<comparison> comparisons,
                     std::string_view source = "P0089R1") {
  return {id, section, statement, note, std::move(comparisons), source, "variant"};
}

// Table 15: ten million links, by the number of shuffles.
std::vector<claim> shuffle_claims() {
  return {
      about_locality("II-1", "8, table 15", "After two shuffles more of them make access no slower",
                     column_zero,
                     {between(along(degradation("AS1, 3 shuffles and up / 2", "AS1", {ten_million}),
                                    "shuffles", {.first = 3}, {.first = 2, .last = 2}),
                              0.9, 1.1)}),
      about_locality(
          "II-2", "Benchmark II",
          "One complete shuffle makes access to lists of 10^6 links ten times as slow", column_zero,
          {between(degradation("AS1, one shuffle, 10^6 links", "AS1",
                               {ten_million, sizes(6, 6), {"shuffles", {.first = 1, .last = 1}}}),
                   7, 14)},
          talk),
      about_locality("II-3", "Benchmark II",
                     "In lists of 10^6 links a second shuffle costs about another 30 %", "",
                     {between(along(degradation("AS1, 2 shuffles / 1, 10^6 links", "AS1",
                                                {ten_million, sizes(6, 6)}),
                                    "shuffles", {.first = 2, .last = 2}, {.first = 1, .last = 1}),
                              1.15, 1.45)},
                     talk),
      about_locality("II-4", "8, table 15",
                     "A few large lists (10^6) suffer more than many small ones (10^3)", "",
                     {at_least(along(degradation("AS1, 10^6 links / 10^3", "AS1",
                                                 {ten_million, {"shuffles", {.first = 1}}}),
                                     "subsystem", {.first = 6, .last = 6}, {.first = 3, .last = 3}),
                               1.5)}),
      about_locality(
          "II-5", "8, table 15",
          "Over the middle of the range the slow-down increases with the size of the lists", "",
          {at_least(along(degradation("AS1, 10^3 links / 10^2", "AS1",
                                      {ten_million, {"shuffles", {.first = 1}}}),
                          "subsystem", {.first = 3, .last = 3}, {.first = 2, .last = 2}),
                    1),
           at_least(along(degradation("AS1, 10^4 links / 10^3", "AS1",
                                      {ten_million, {"shuffles", {.first = 1}}}),
                          "subsystem", {.first = 4, .last = 4}, {.first = 3, .last = 3}),
                    1)}),
  };
}

// Tables 16 to 19: the surfaces without and with local allocators.
std::vector<claim> surface_claims() {
  return {
      about_locality(
          "II-6", "8",
          "With a single list there is nothing to shuffle it with: access stays as fast", zeroed,
          {between(degradation("AS1, one list", "AS1", {{"subsystems", {.first = 1, .last = 1}}}),
                   0.9, 1.15)}),
      about_locality(
          "II-7", "8, tables 16 and 17",
          "On the global heap access to few large lists (2^18 links and up) becomes more "
          "than ten times as slow",
          zeroed,
          {at_least(degradation("AS1, 2^18 links and up", "AS1", {several, sizes(18)}), 10)}),
      about_locality(
          "II-8", "8, tables 16 and 17",
          "On the global heap, where each list is accessed once before the next, access becomes 10 "
          "to 20 times as slow, whatever the size of the lists",
          shortened,
          {between(degradation("AS1, 1 access in turn, 2^1 links and up", "AS1",
                               {several, sizes(1), accesses(1, 1)}),
                   10, 20)}),
      about_locality("II-9", "8, tables 16 and 17",
                     "On the global heap, small lists accessed many times in turn hardly suffer",
                     shortened,
                     {between(degradation("AS1, up to 2^6 links, 64 accesses in turn and up", "AS1",
                                          {sizes(0, 6), accesses(64)}),
                              0.7, 1.5)}),
      about_locality(
          "II-10", "Benchmark II", "The slow-down is greatest at lists of 2^18 links",
          "A matter of the caches: the published machine had 15 MB of L3.",
          {at_least(
               along(degradation("AS1, 2^18 links / 2^12 to 2^17", "AS1", {several, sizes(12)}),
                     "subsystem", {.first = 18, .last = 18}, {.first = 12, .last = 17}),
               1),
           at_least(along(degradation("AS1, 2^18 links / 2^19 and 2^20", "AS1",
                                      {several, sizes(12), accesses(1, 64)}),
                          "subsystem", {.first = 18, .last = 18}, {.first = 19, .last = 20}),
                    1)},
          talk),
      about_locality("II-11", "8, tables 18 and 19",
                     "With local allocators access becomes less than three times as slow, anywhere",
                     shortened, {between(each_cell(degradation("AS7", "AS7", {several})), 0, 3)}),
      about_locality("II-12", "8, tables 18 and 19",
                     "With local allocators access becomes, almost everywhere, less than twice as "
                     "slow",
                     shortened, {between(degradation("AS7, in the mean", "AS7", {several}), 0, 2)}),
      about_locality("II-13", "8",
                     "The fewer accesses in turn, the slower, without and with local allocators",
                     "",
                     {at_least(along(degradation("AS1, 1 access in turn / 64 and up", "AS1",
                                                 {several, sizes(2, 17)}),
                                     "accesses", {.first = 1, .last = 1}, {.first = 64}),
                               1),
                      at_least(along(degradation("AS7, 1 access in turn / 64 and up", "AS7",
                                                 {several, sizes(2, 17)}),
                                     "accesses", {.first = 1, .last = 1}, {.first = 64}),
                               1)}),
      about_locality("II-14", "8", "With local allocators that happens much more slowly", "",
                     {at_least(along(against(degradation("AS1 / AS7, 1 access in turn / 64 and up",
                                                         "AS1", {several, sizes(2, 17)}),
                                             "AS7"),
                                     "accesses", {.first = 1, .last = 1}, {.first = 64}),
                               1.2)}),
  };
}

// What the paper sees in the shape of the surfaces.
std::vector<claim> shape_claims() {
  return {
      about_locality("II-21", "8", "The surface looks alike whatever the number of links in all",
                     zeroed,
                     {between(along(degradation("AS1, 2^25 links / 2^21", "AS1",
                                                {several, sizes(1), accesses(1, 64)}),
                                    "links", {.first = 1 << 25, .last = 1 << 25},
                                    {.first = 1 << 21, .last = 1 << 21}),
                              0.67, 1.5)}),
      about_locality(
          "II-22", "8",
          "With local allocators, rare access hurts small lists (2^6 to 2^11) more than "
          "large ones (2^14 to 2^18)",
          "",
          {at_least(along(degradation("AS7, 2^6 to 2^11 links / 2^14 to 2^18", "AS7",
                                      {several, accesses(1, 1)}),
                          "subsystem", {.first = 6, .last = 11}, {.first = 14, .last = 18}),
                    1.1)}),
      about_locality(
          "II-23", "8, tables 20 and 21",
          "With rare access there is a lull in what local allocators gain at small lists "
          "(2^6 to 2^10)",
          "",
          {between(along(against(degradation("AS1 / AS7, 2^6 to 2^10 links / 2^13 to "
                                             "2^18",
                                             "AS1", {several, accesses(1, 1)}),
                                 "AS7"),
                         "subsystem", {.first = 6, .last = 10}, {.first = 13, .last = 18}),
                   0, 0.95)}),
      about_locality("II-24", "8",
                     "Lists of one link suffer most when accessed twice in turn, and far less when "
                     "accessed once",
                     "The paper cannot explain it. A third of these lists were empty after the "
                     "shuffle, and a baseline that fits its run gives other figures there.",
                     {at_least(along(degradation("AS1, 2 accesses in turn / 1, lists of one link",
                                                 "AS1", {sizes(0, 0)}),
                                     "accesses", {.first = 2, .last = 2}, {.first = 1, .last = 1}),
                               2)}),
  };
}

// Tables 20 and 21: what local allocators gain.
std::vector<claim> gain_claims() {
  return {
      about_locality("II-15", "8, tables 20 and 21",
                     "From lists of 2^12 links on, local allocators improve the slow-down at least "
                     "4 to 8 times",
                     zeroed,
                     {at_least(against(degradation("AS1 / AS7, 2^12 links and up", "AS1",
                                                   {several, sizes(12)}),
                                       "AS7"),
                               4)}),
      about_locality(
          "II-16", "8, tables 20 and 21", "… and occasionally 12 to 16 times or more", "",
          {at_least(each_cell(against(degradation("AS1 / AS7", "AS1", {several, sizes(12)}), "AS7"),
                              need::some),
                    12)}),
      about_locality("II-17", "8, tables 20 and 21",
                     "Local allocators are not indicated where lists are small and accessed many "
                     "times in turn",
                     "",
                     {between(against(degradation("AS1 / AS7, up to 2^6 links, 64 accesses and up",
                                                  "AS1", {sizes(0, 6), accesses(64)}),
                                      "AS7"),
                              0.8, 1.6)}),
      about_locality("II-18", "Benchmark II",
                     "The larger the whole system, the more there is to gain (2^25 against 2^21 "
                     "links)",
                     zeroed,
                     {at_least(along(against(degradation("AS1 / AS7, 2^25 links / 2^21", "AS1",
                                                         {several, sizes(12), accesses(1, 64)}),
                                             "AS7"),
                                     "links", {.first = 1 << 25, .last = 1 << 25},
                                     {.first = 1 << 21, .last = 1 << 21}),
                               1)},
                     talk),
      about_locality(
          "II-19", "Conclusion",
          "In long-running programs local allocators gain as much as an order of magnitude",
          "Here of the access times themselves, not of ratios of them.",
          {{.label = "AS1 / AS7, access after the shuffle",
            .left = {"AS1"},
            .right = {"AS7"},
            .at_least = 10,
            .what = over::cell,
            .bench = "locality",
            .measure = "access_after",
            .how_many = need::some}},
          slides),
      about_locality("II-20", "1",
                     "What counts here is the locality that an allocator preserves, not its speed: "
                     "before the shuffle, access is as fast with as without",
                     "",
                     {{.label = "AS1 / AS7, access before the shuffle",
                       .left = {"AS1"},
                       .right = {"AS7"},
                       .at_least = 0.8,
                       .at_most = 1.25,
                       .bench = "locality",
                       .measure = "access_before",
                       .where = {several, sizes(7)}}}),
  };
}

}  // namespace

std::vector<claim> locality_claims() {
  std::vector<claim> all;
  for (const auto& part : {shuffle_claims(), surface_claims(), shape_claims(), gain_claims()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace mallard::lab
