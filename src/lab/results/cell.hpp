// A measured cell: its place, its contender, and its readings.
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

// One figure of a cell: a sample for each repetition, their median and its interval.
struct measure {
  std::string unit;  // "s", "B", "ratio", "count", "1/s"
  std::vector<double> samples;
  double median = 0;
  double ci_low = 0;  // bootstrap 95 % confidence interval of the median
  double ci_high = 0;
  std::optional<better> which = {};  // from its result file; empty if not given there
  friend bool operator==(const measure&, const measure&) = default;
};

// Identifies a cell, also among the cells of several files.
struct cell_key {
  std::string bench;
  place at;  // such as links, subsystem, accesses, shuffles, variant
  std::string strategy;
  std::string peer;
  std::string heap;
  std::string malloc{system_malloc};
  friend auto operator<=>(const cell_key&, const cell_key&) = default;
};

struct cell_result : cell_key {
  std::string error;  // empty: the cell is good; a failed one has no measures
  std::map<std::string, measure> measures;
  std::string checksum;  // of the work, hexadecimal; empty: unknown
  bool ok() const { return error.empty(); }
  const cell_key& key() const { return *this; }
  // Returns: null if there is none with this name.
  const measure* find(std::string_view name) const;
  // The median of the measure with this name; NaN if there is none.
  double median_of(std::string_view name) const;
  // Number of repetitions; 0 for a failed cell.
  std::size_t repetitions() const;
};

// The median of samples and its interval. Precondition: there are samples.
measure summarise(std::string_view unit, std::vector<double> samples, std::uint64_t seed);

// The contender as text: "AS7@mallard, jemalloc".
std::string contender_text(const cell_key& key);

}  // namespace mallard::lab
