// A measured cell: where it lies, who was measured, and what was read.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measuring/contender.hpp"
#include "lab/measuring/place.hpp"
#include "lab/results/words.hpp"

namespace mallard::lab {

// One figure of a cell: a sample per repetition, their median and its interval.
struct measure {
  std::string unit;  // "s", "B", "ratio", "count", "1/s"
  std::vector<double> samples;
  double median = 0;
  double ci_low = 0;  // bootstrap 95 % confidence interval of the median
  double ci_high = 0;
  std::optional<better> which = {};  // as its result file says; none: it does not
  friend bool operator==(const measure&, const measure&) = default;
};

// Identifies a cell, also among the cells of several files.
struct cell_key {
  std::string bench;
  place at;  // for example links, subsystem, accesses, shuffles, variant
  std::string strategy;
  std::string peer;
  std::string heap;
  std::string malloc{system_malloc};
  friend auto operator<=>(const cell_key&, const cell_key&) = default;
};

struct cell_result : cell_key {
  std::string error;  // empty: the cell is good; a failed one has no measures
  std::map<std::string, measure> measures;
  std::string checksum;  // of what was done, hexadecimal; empty: not known
  bool ok() const { return error.empty(); }
  const cell_key& key() const { return *this; }
  // Null when there is none of that name.
  const measure* find(std::string_view name) const;
  // Median of the measure of that name; not a number when there is none.
  double median_of(std::string_view name) const;
  // Number of repetitions; 0 for a failed cell.
  std::size_t repetitions() const;
};

// The median and its interval of samples already taken. Precondition: there are samples.
measure summarise(std::string_view unit, std::vector<double> samples, std::uint64_t seed);

// "AS7@mallard, jemalloc": who was measured.
std::string contender_text(const cell_key& key);

}  // namespace mallard::lab
