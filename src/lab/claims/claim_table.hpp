// A claim as data: comparisons of cells whose results must lie in a range. The same terms serve
// every bench, since a cell's place is a set of named coordinates. README.md describes the files.
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

// The figures that must be in the range.
enum class over {
  all,       // the geometric mean of all compared cells
  strategy,  // the mean for each pair of strategies
  cell,      // each single cell
  value,     // the mean for each value of the coordinate `by`
};

// All of these figures, or at least one.
enum class need { every, some };

// Admitted values of a coordinate: a range of numbers, or words. Admits everything unless
// restricted.
struct values {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  names words = {};
  bool except = false;  // all words except these
  bool admits(const coordinate& value) const;
  bool everything() const;
  bool nothing() const { return first > last && words.empty(); }
};
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// Admits cells that have the coordinate with one of the values.
struct condition {
  std::string coordinate;
  values admitted;
};
using conditions_of = std::vector<condition>;

// Strategies are ours (or those of the library that the claim is judged with), or the global
// heap's, unless they name a peer: "AS7@boost".
//
// Compares the figure of left[i] with that of right[i] in a cell that otherwise agrees, as a ratio.
// A list of one name is compared with each name of the other list. An empty `right` means the
// figure of left[i] itself. With `base`, that quantity at the values `at` of the coordinate `along`
// is divided by its mean at the values `base`: how it changes along that coordinate.
struct comparison {
  std::string label;
  names structures = {};  // Benchmark I's
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
  conditions_of where = {};     // for both sides
  conditions_of left_at = {};   // if the sides differ in more than the strategy
  conditions_of right_at = {};  // likewise
  bool failing = false;         // the cells of `left` must have failed; there are no figures
  double floor = 0;         // smaller figures do not count; for figures that may be zero; 0: none
  bool least_base = false;  // divide by the smallest base figure instead of the mean
  names beside = {};        // coordinates that change together with `along`
  std::string spread = {};  // instead of single cells: the largest figure over the smallest of
                            // those that differ only in this coordinate
};

// The value of `each` for a claim that is judged with every library that has the strategies, ours
// first.
inline constexpr std::string_view every_library = "library";

// Holds if all its comparisons do.
struct claim {
  std::string id;
  std::string section;
  std::string statement;
  std::string note;
  std::vector<comparison> comparisons;
  std::string source;
  std::string each = {};  // a coordinate whose values are judged one by one, or every_library
  std::string heap = {};  // the only heap that it is judged on
};

// The statements of the documents, those about Benchmark I first.
std::span<const claim> all_claims();

}  // namespace mallard::lab
