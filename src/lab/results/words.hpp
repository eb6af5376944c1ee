// Descriptions of a bench and its measures. A result file contains them beside the cells, so that
// its readers need not know the bench.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::lab {

enum class better { less, more };

// A measure that a kernel reads, by its name.
struct measure_kind {
  std::string name = {};
  std::string unit = {};   // "s", "B", "ratio", "count", "1/s"
  std::string title = {};  // for the page; empty: the name
  better which = better::less;
  friend bool operator==(const measure_kind&, const measure_kind&) = default;
};

// Returns: null if there is none with this name.
const measure_kind* find_measure(std::span<const measure_kind> measures, std::string_view name);

struct bench_words {
  std::string title = {};     // for the page; text after a colon explains it
  std::string summary = {};   // one line
  std::string main = "time";  // the measure for comparisons
  std::vector<measure_kind> measures = {};
  friend bool operator==(const bench_words&, const bench_words&) = default;
};

// By the name of the bench.
using words_of_benches = std::map<std::string, bench_words>;

}  // namespace mallard::lab
