// The statements of P0089R1, section 7, in our own words. A ratio "x / y" is time over time: above
// 1 means that x is slower. Ranges are what the paper says ("~5%-10%" of a gain reads "at
// least 1.05").
#include "lab/claim_table.hpp"

namespace mallard::lab {
namespace {

const names monotonic = {"AS3", "AS4", "AS5", "AS6"};
const names multipool = {"AS7", "AS8", "AS9", "AS10"};
const names combined = {"AS11", "AS12", "AS13", "AS14"};
const names local = {"AS3", "AS4",  "AS5",  "AS6",  "AS7",  "AS8",
                     "AS9", "AS10", "AS11", "AS12", "AS13", "AS14"};

// Pairs that differ in one property only.
const names local_virtual = {"AS5", "AS6", "AS9", "AS10", "AS13", "AS14"};
const names local_direct = {"AS3", "AS4", "AS7", "AS8", "AS11", "AS12"};
const names normal = {"AS3", "AS5", "AS7", "AS9", "AS11", "AS13"};
const names winked = {"AS4", "AS6", "AS8", "AS10", "AS12", "AS14"};
const names pool_normal = {"AS7", "AS9", "AS11", "AS13"};
const names pool_winked = {"AS8", "AS10", "AS12", "AS14"};

const names every_structure = {"DS1", "DS2", "DS3", "DS4",  "DS5",  "DS6",
                               "DS7", "DS8", "DS9", "DS10", "DS11", "DS12"};

constexpr std::string_view scrambled =
    "The published AS1 and AS2 ran on a deliberately scrambled heap, all others on a clean one.";
constexpr std::string_view hashing =
    "The published strings of all strategies but AS1 did not cache their hash, which costs time in "
    "sets of strings whatever the allocator.";

comparison local_against_global(const char* ds, double at_least) {
  return {.label = "AS1 / each local strategy",
          .structures = {ds},
          .left = {"AS1"},
          .right = local,
          .at_least = at_least,
          .what = over::strategy};
}

// The order monotonic, multipool on monotonic, multipool.
std::vector<comparison> monotonic_leads(const char* ds) {
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

comparison winking_gains(const char* ds, double at_least) {
  return {.label = "destroyed / winked out",
          .structures = {ds},
          .left = normal,
          .right = winked,
          .at_least = at_least};
}

comparison virtual_overhead(const char* ds, double at_least, double at_most) {
  return {.label = "abstract base / type parameter",
          .structures = {ds},
          .left = local_virtual,
          .right = local_direct,
          .at_least = at_least,
          .at_most = at_most};
}

comparison global_virtual_overhead(const char* ds, double at_least, double at_most) {
  return {.label = "AS2 / AS1",
          .structures = {ds},
          .left = {"AS2"},
          .right = {"AS1"},
          .at_least = at_least,
          .at_most = at_most};
}

std::vector<claim> make_claims() {
  std::vector<claim> claims;
  const auto add = [&](std::string_view id, std::string_view section, std::string_view statement,
                       std::string_view note, std::vector<comparison> comparisons) {
    claims.push_back({id, section, statement, note, std::move(comparisons)});
  };

  // DS1, vector<int>
  add("I-1.1", "7.1", "DS1: access through the abstract base is slower than direct access", "",
      {virtual_overhead("DS1", 1, 2), global_virtual_overhead("DS1", 1, 2)});
  add("I-1.2", "7.1",
      "DS1: in each kind of local allocator, direct access with normal destruction is the fastest",
      "",
      {{.label = "AS4, AS5, AS6 / AS3",
        .structures = {"DS1"},
        .left = {"AS4", "AS5", "AS6"},
        .right = {"AS3"},
        .at_least = 1,
        .what = over::strategy},
       {.label = "AS8, AS9, AS10 / AS7",
        .structures = {"DS1"},
        .left = {"AS8", "AS9", "AS10"},
        .right = {"AS7"},
        .at_least = 1,
        .what = over::strategy},
       {.label = "AS12, AS13, AS14 / AS11",
        .structures = {"DS1"},
        .left = {"AS12", "AS13", "AS14"},
        .right = {"AS11"},
        .at_least = 1,
        .what = over::strategy}});
  add("I-1.3", "7.1",
      "DS1: when memory is winked out, direct and virtual access do not differ significantly", "",
      {{.label = "AS6, AS10, AS14 / AS4, AS8, AS12",
        .structures = {"DS1"},
        .left = {"AS6", "AS10", "AS14"},
        .right = {"AS4", "AS8", "AS12"},
        .at_least = 0.95,
        .at_most = 1.05}});
  add("I-1.4", "7.1",
      "DS1: beyond 2^7 every local strategy is close to twice as fast as the global heap, or "
      "faster",
      scrambled,
      {{.label = "AS1 / each local strategy",
        .structures = {"DS1"},
        .left = {"AS1"},
        .right = local,
        .at_least = 1.75,
        .what = over::strategy,
        .at = {.first = 8}}});

  // DS2, vector<string>
  add("I-2.1", "7.2", "DS2: it does not matter how the global heap is accessed", "",
      {global_virtual_overhead("DS2", 0.95, 1.05)});
  add("I-2.2", "7.2", "DS2: the global heap takes at least 75 % longer than any local strategy",
      scrambled, {local_against_global("DS2", 1.75)});
  add("I-2.3", "7.2",
      "DS2: monotonic is best, multipool on monotonic second, multipool last, all ahead of the "
      "global heap",
      scrambled,
      {{.label = "multipool on monotonic / monotonic",
        .structures = {"DS2"},
        .left = combined,
        .right = monotonic,
        .at_least = 1},
       {.label = "multipool / multipool on monotonic",
        .structures = {"DS2"},
        .left = multipool,
        .right = combined,
        .at_least = 1},
       {.label = "AS1 / multipool",
        .structures = {"DS2"},
        .left = {"AS1"},
        .right = multipool,
        .at_least = 1}});
  add("I-2.4", "7.2", "DS2: time per string jumps for every strategy beyond 2^14 strings", "",
      {{.label = "each strategy, 2^15 and up / 2^12 to 2^14",
        .structures = {"DS2"},
        .left = {"AS1", "AS3", "AS7", "AS11"},
        .right = {},
        .at_least = 1.1,
        .what = over::strategy,
        .at = {.first = 15},
        .base = {.first = 12, .last = 14}}});
  add("I-2.5", "7.2", "DS2: direct or virtual access makes little or no difference to local ones",
      "", {virtual_overhead("DS2", 0.95, 1.05)});
  add("I-2.6", "7.2", "DS2: winking out tends to save a little (1 to 9 %)", "",
      {winking_gains("DS2", 1.01)});

  // DS3, unordered_set<int>
  add("I-3.1", "7.3", "DS3: the global heap is slower than every local strategy, always", scrambled,
      {{.label = "AS1 / each local strategy",
        .structures = {"DS3"},
        .left = {"AS1"},
        .right = local,
        .at_least = 1,
        .what = over::cell}});
  add("I-3.2", "7.3",
      "DS3: the global heap's time per element grows substantially with size, the local ones' does "
      "not",
      scrambled,
      {{.label = "AS1, 2^12 and up / up to 2^8",
        .structures = {"DS3"},
        .left = {"AS1"},
        .right = {},
        .at_least = 1.5,
        .at = {.first = 12},
        .base = {.last = 8}},
       {.label = "local strategies, 2^12 and up / up to 2^8",
        .structures = {"DS3"},
        .left = local,
        .right = {},
        .at_most = 1.25,
        .at = {.first = 12},
        .base = {.last = 8}}});
  add("I-3.3", "7.3", "DS3: virtual access is typically somewhat slower (1 to 10 %)", "",
      {virtual_overhead("DS3", 1.01, 1.10), global_virtual_overhead("DS3", 1.01, 1.10)});
  add("I-3.4", "7.3", "DS3: winking out is a clear win (5 to 10 %) everywhere", "",
      {{.label = "destroyed / winked out, each pair",
        .structures = {"DS3"},
        .left = normal,
        .right = winked,
        .at_least = 1.04,
        .what = over::strategy}});
  add("I-3.5", "7.3", "DS3: monotonic, direct and winked out (AS4) is the best strategy of all", "",
      {{.label = "every other local strategy / AS4",
        .structures = {"DS3"},
        .left = {"AS3", "AS5", "AS6", "AS7", "AS8", "AS9", "AS10", "AS11", "AS12", "AS13", "AS14"},
        .right = {"AS4"},
        .at_least = 1,
        .what = over::strategy}});
  add("I-3.6", "7.3", "DS3: the gain of AS4 over the global heap approaches sevenfold when large",
      scrambled,
      {{.label = "AS1 / AS4, 2^14 and up",
        .structures = {"DS3"},
        .left = {"AS1"},
        .right = {"AS4"},
        .at_least = 5.5,
        .at = {.first = 14}}});

  // DS4, unordered_set<string>
  add("I-4.1", "7.4", "DS4: virtual access costs the global heap about 20 %, local ones about 1 %",
      hashing, {global_virtual_overhead("DS4", 1.15, 1.25), virtual_overhead("DS4", 0.98, 1.03)});
  add("I-4.2", "7.4", "DS4: the monotonic allocator is clearly the best", scrambled,
      monotonic_leads("DS4"));
  add("I-4.3", "7.4", "DS4: winking out is a consistent win (1 to 10 %)", "",
      {winking_gains("DS4", 1.01)});
  add("I-4.4", "7.4", "DS4: AS4 and AS6 are roughly twice as fast as the global heap", scrambled,
      {{.label = "AS1 / AS4, AS6",
        .structures = {"DS4"},
        .left = {"AS1"},
        .right = {"AS4", "AS6"},
        .at_least = 1.75,
        .what = over::strategy}});
  add("I-4.5", "7.4", "DS4: winked-out monotonic is faster virtual (AS6) than direct (AS4)", "",
      {{.label = "AS4 / AS6",
        .structures = {"DS4"},
        .left = {"AS4"},
        .right = {"AS6"},
        .at_least = 1}});

  // DS5, vector<vector<int>>
  add("I-5.1", "7.5",
      "DS5: every local strategy is at least three times as fast as the global heap", scrambled,
      {local_against_global("DS5", 3)});
  add("I-5.2", "7.5", "DS5: virtual or direct access makes no significant difference", "",
      {virtual_overhead("DS5", 0.95, 1.05), global_virtual_overhead("DS5", 0.95, 1.05)});
  add("I-5.3", "7.5", "DS5: winking out a monotonic allocator gains 10 to 30 %", "",
      {{.label = "AS3, AS5 / AS4, AS6",
        .structures = {"DS5"},
        .left = {"AS3", "AS5"},
        .right = {"AS4", "AS6"},
        .at_least = 1.1}});

  // DS6, vector<vector<string>>
  add("I-6.1", "7.6", "DS6: the global heap is the slowest, accessed directly or not", scrambled,
      {local_against_global("DS6", 1), global_virtual_overhead("DS6", 0.97, 1.03)});
  add("I-6.2", "7.6", "DS6: the monotonic allocator is the best", scrambled,
      monotonic_leads("DS6"));
  add("I-6.3", "7.6",
      "DS6: winking out does nothing for monotonic alone, and saves 5 to 15 % where a multipool is "
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
        .at_least = 1.05}});
  add("I-6.4", "7.6", "DS6: beyond 2^13 the global heap's time per string falls again", scrambled,
      {{.label = "AS1, 2^15 and up / 2^10 to 2^13",
        .structures = {"DS6"},
        .left = {"AS1"},
        .right = {},
        .at_most = 0.95,
        .at = {.first = 15},
        .base = {.first = 10, .last = 13}}});

  // DS7, vector<unordered_set<int>>
  add("I-7.1", "7.7", "DS7: monotonic beats the global heap by about ten to twenty times",
      scrambled,
      {{.label = "AS1 / monotonic",
        .structures = {"DS7"},
        .left = {"AS1"},
        .right = monotonic,
        .at_least = 9}});
  add("I-7.2", "7.7", "DS7: virtual access costs local ones 5 to 15 % and the global heap nothing",
      "", {virtual_overhead("DS7", 1.05, 1.15), global_virtual_overhead("DS7", 0.97, 1.03)});
  add("I-7.3", "7.7",
      "DS7: winking out gains 5 to 35 % with every local allocator, most with the combined one", "",
      {{.label = "destroyed / winked out, each pair",
        .structures = {"DS7"},
        .left = normal,
        .right = winked,
        .at_least = 1.05,
        .what = over::strategy}});

  // DS8, vector<unordered_set<string>>
  add("I-8.1", "7.8", "DS8: the global heap is slowest and the monotonic allocator best", scrambled,
      monotonic_leads("DS8"));
  add("I-8.2", "7.8",
      "DS8: virtual access costs the global heap about 10 %, local ones nearly none", hashing,
      {global_virtual_overhead("DS8", 1.02, 1.12), virtual_overhead("DS8", 0.93, 1.03)});
  add("I-8.3", "7.8", "DS8: winking out gains 5 to 25 % with every local allocator", "",
      {winking_gains("DS8", 1.05)});

  // DS9, unordered_set<vector<int>>
  add("I-9.1", "7.9",
      "DS9: the global heap takes at least three times as long as any local strategy", scrambled,
      {local_against_global("DS9", 3)});
  add("I-9.2", "7.9", "DS9: monotonic is best and multipool on monotonic a very close second", "",
      {{.label = "multipool on monotonic / monotonic",
        .structures = {"DS9"},
        .left = combined,
        .right = monotonic,
        .at_least = 1,
        .at_most = 1.15}});
  add("I-9.3", "7.9", "DS9: virtual access costs local allocators nothing", "",
      {virtual_overhead("DS9", 0.95, 1.03)});
  add("I-9.4", "7.9", "DS9: winking out gains 2 to 30 % when large", "",
      {{.label = "destroyed / winked out, 2^12 and up",
        .structures = {"DS9"},
        .left = normal,
        .right = winked,
        .at_least = 1.02,
        .at = {.first = 12}}});

  // DS10, unordered_set<vector<string>>
  add("I-10.1", "7.10", "DS10: monotonic is best, three to six times as fast as the global heap",
      scrambled,
      {{.label = "AS1 / monotonic",
        .structures = {"DS10"},
        .left = {"AS1"},
        .right = monotonic,
        .at_least = 3}});
  add("I-10.2", "7.10",
      "DS10: virtual access costs the global heap 1 to 3 % and local ones nothing", "",
      {global_virtual_overhead("DS10", 1.0, 1.03), virtual_overhead("DS10", 0.95, 1.02)});
  add("I-10.3", "7.10", "DS10: winking out is a consistent win where a multipool is involved", "",
      {{.label = "multipools, destroyed / winked out",
        .structures = {"DS10"},
        .left = pool_normal,
        .right = pool_winked,
        .at_least = 1.02}});

  // DS11, unordered_set<unordered_set<int>>
  add("I-11.1", "7.11",
      "DS11: the global heap is about ten to twenty times slower than AS4 and AS12, the best two",
      scrambled,
      {{.label = "AS1 / AS4, AS12",
        .structures = {"DS11"},
        .left = {"AS1"},
        .right = {"AS4", "AS12"},
        .at_least = 10,
        .what = over::strategy}});
  add("I-11.2", "7.11",
      "DS11: multipool alone takes about twice as long as the other local ones, yet a fifth of the "
      "global heap's time",
      scrambled,
      {{.label = "multipool / monotonic",
        .structures = {"DS11"},
        .left = multipool,
        .right = monotonic,
        .at_least = 1.5},
       {.label = "AS1 / multipool",
        .structures = {"DS11"},
        .left = {"AS1"},
        .right = multipool,
        .at_least = 5}});
  add("I-11.3", "7.11", "DS11: winking out gains 10 to 45 % across the board", "",
      {winking_gains("DS11", 1.1)});

  // DS12, unordered_set<unordered_set<string>>
  add("I-12.1", "7.12", "DS12: monotonic is three to five times as fast as the global heap",
      scrambled,
      {{.label = "AS1 / monotonic",
        .structures = {"DS12"},
        .left = {"AS1"},
        .right = monotonic,
        .at_least = 3}});
  add("I-12.2", "7.12", "DS12: winking out is a very significant win of 10 to 40 %", "",
      {winking_gains("DS12", 1.1)});
  add("I-12.3", "7.12", "DS12: a monotonic allocator is faster through its base class from 2^9 on",
      hashing,
      {{.label = "AS5, AS6 / AS3, AS4, 2^9 and up",
        .structures = {"DS12"},
        .left = {"AS5", "AS6"},
        .right = {"AS3", "AS4"},
        .at_most = 1,
        .at = {.first = 9}}});

  // The general observations at the end of the section.
  add("I-G.1", "7, end", "Monotonic allocators are always a big win: 4 to 20 times", scrambled,
      {{.label = "AS1 / monotonic",
        .structures = every_structure,
        .left = {"AS1"},
        .right = monotonic,
        .at_least = 4}});
  add("I-G.2", "7, end", "Virtual access costs mostly 2 to 10 %, where it costs anything", "",
      {{.label = "abstract base / type parameter",
        .structures = every_structure,
        .left = local_virtual,
        .right = local_direct,
        .at_least = 1,
        .at_most = 1.1}});
  add("I-G.3", "7, end", "A multipool gains generally 20 to 100 % over the global heap", scrambled,
      {{.label = "AS1 / multipool",
        .structures = every_structure,
        .left = {"AS1"},
        .right = multipool,
        .at_least = 1.2}});
  add("I-G.4", "7, end",
      "A multipool gains more than fivefold with containers of unordered_set<int>", scrambled,
      {{.label = "AS1 / multipool",
        .structures = {"DS7", "DS11"},
        .left = {"AS1"},
        .right = multipool,
        .at_least = 5}});
  add("I-G.5", "7, end", "Winking out is a modest but predictable win", "",
      {{.label = "destroyed / winked out, each pair",
        .structures = every_structure,
        .left = normal,
        .right = winked,
        .at_least = 1,
        .what = over::strategy}});
  add("I-G.6", "7, end",
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
        .at_least = 1}});
  add("I-G.7", "7, end",
      "With containers of vector<string> and monotonic alone, winking out has no effect", "",
      {{.label = "AS3, AS5 / AS4, AS6",
        .structures = {"DS6", "DS10"},
        .left = {"AS3", "AS5"},
        .right = {"AS4", "AS6"},
        .at_least = 0.97,
        .at_most = 1.03}});
  add("I-G.8", "7, end", "No local strategy is slower than the global heap in any table", scrambled,
      {{.label = "AS1 / local strategy, each cell",
        .structures = every_structure,
        .left = {"AS1"},
        .right = local,
        .at_least = 1,
        .what = over::cell}});
  return claims;
}

}  // namespace

std::span<const claim> density_claims() {
  static const std::vector<claim> claims = make_claims();
  return claims;
}

}  // namespace mallard::lab
