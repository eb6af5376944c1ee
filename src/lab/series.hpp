// The cells of every bench but density: where in the bench a cell lies is a set of named
// coordinates, and what was measured there a set of named measures.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mallard::lab {

// Sizes that are log2 in the papers stay log2; forms and variants are words.
using coordinate = std::variant<std::int64_t, std::string>;
using coordinates = std::map<std::string, coordinate>;

// As it is printed: a number's digits, or the word.
std::string to_string(const coordinate& value);

// One figure of a cell: a sample per repetition, their median and its interval.
struct measure {
  std::string unit;  // "s", "B", "ratio", "count"
  std::vector<double> samples;
  double median = 0;
  double ci_low = 0;  // bootstrap 95 % confidence interval of the median
  double ci_high = 0;
  friend bool operator==(const measure&, const measure&) = default;
};

// What identifies a cell, also among the cells of several files.
struct series_key {
  std::string bench;             // "locality", "utilization", "contention", "false-sharing"
  coordinates at;                // for example links, subsystem, accesses, shuffles, variant
  std::string strategy;          // "AS1".."AS14", "sync", "mutex"
  std::string peer;              // "global", "mallard", "std", "boost"
  std::string heap;              // "clean" or "aged"
  std::string malloc = "glibc";  // or the name of the library that was preloaded
  friend auto operator<=>(const series_key&, const series_key&) = default;
};

struct series_cell : series_key {
  std::string error;  // empty: the cell is good; a failed one has no measures
  std::map<std::string, measure> measures;

  bool ok() const { return error.empty(); }
  const series_key& key() const { return *this; }
  // Null when there is none of that name.
  const measure* find(const std::string& name) const;
};

// The median and its interval of samples already taken. Precondition: there are samples.
measure summarise(std::string_view unit, std::vector<double> samples, std::uint64_t seed);

// One line of a result file, without the newline.
std::string to_line(const series_cell& cell);

}  // namespace mallard::lab
