// A claim as data: comparisons of cells that have to lie in a range. The same words serve every
// bench, since a cell's place is a set of named coordinates. README.md describes the files that
// have them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/claims/claims.hpp"
#include "lab/results/cell.hpp"

namespace mallard::lab {

using names = std::vector<std::string>;

// The figures that have to be in the range.
enum class over {
  all,       // the geometric mean over everything that is compared
  strategy,  // the mean of each pair of strategies
  cell,      // every single cell
  value,     // the mean at each value of the coordinate `by`
};

// Every one of these figures, or at least one.
enum class need { every, some };

// Values of a coordinate: numbers of a range, or words. Admits everything unless restricted.
struct values {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  names words = {};
  bool except = false;  // all words but these
  bool admits(const coordinate& value) const;
  bool everything() const;
  bool nothing() const { return first > last && words.empty(); }
};
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// A cell takes part when it has the coordinate, with one of the values.
struct condition {
  std::string coordinate;
  values admitted;
};
using conditions_of = std::vector<condition>;

// Strategies are ours (or of the library that the claim is judged with), or the global heap's,
// unless they name a peer: "AS7@boost".
//
// The figure of left[i] divided by that of right[i] in a cell that agrees in all else; a list of
// one name is compared with all of the other. An empty `right`: the figure of left[i] itself. With
// `base`, that quantity at the values `at` of the coordinate `along` is divided by its mean at the
// values `base`: how it changes along that coordinate.
struct comparison {
  std::string label;
  names structures = {};  // of Benchmark I
  names left = {};
  names right = {};
  double at_least = 0;
  double at_most = std::numeric_limits<double>::infinity();
  over what = over::all;
  values at = {};
  values base = {.first = 1, .last = 0};
  std::string bench = "density";
  std::string measure = "time";
  std::string along = "size";
  std::string by = "ds";
  need how_many = need::every;
  conditions_of where = {};     // of both sides
  conditions_of left_at = {};   // where the sides differ in more than the strategy
  conditions_of right_at = {};  // likewise
  bool failing = false;         // instead of any figure: the cells of `left` have to have failed
  double floor = 0;             // the least figure that counts, where figures may be zero; 0: none
  bool least_base = false;      // divided by the least figure of the base rather than by their mean
  names beside = {};            // coordinates that change together with `along`
  std::string spread = {};      // instead of single cells: the greatest figure over the least of
                                // those that differ in this coordinate only
};

// A claim that is judged with every library that brings the strategies, ours first, has this as
// its `each`.
inline constexpr std::string_view every_library = "library";

// Holds when all its comparisons do.
struct claim {
  std::string id;
  std::string section;
  std::string statement;
  std::string note;
  std::vector<comparison> comparisons;
  std::string source;
  std::string each = {};  // a coordinate whose values are judged one by one, or every_library
  std::string heap = {};  // judged on this one alone
};

// The statements of the documents: those about Benchmark I first.
std::span<const claim> all_claims();

}  // namespace mallard::lab
