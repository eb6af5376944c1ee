// Finds the evidence of measured cells for a comparison: ratios of figures with their intervals.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lab/claims/claim_table.hpp"
#include "lab/results/observation.hpp"

namespace mallard::lab {

// A geometric mean of ratios of figures, with its interval.
struct estimate {
  std::string where;
  double ratio = 1;
  double low = 1;
  double high = 1;
};

inline constexpr std::string_view our_library = "mallard";

// The cells of one heap, of the global heap and of one library's resources. Where a comparison says
// nothing of malloc, those under the C library's own count. Refers to the cells it was made of.
class view {
 public:
  using list = std::vector<const observation*>;

  // `only`: what all cells that have these coordinates must have there. `library`: whose resources
  // are meant where a comparison does not say.
  view(std::span<const observation> cells, std::string_view heap, const conditions_of& only = {},
       std::string_view library = our_library);

  // The cells of `what.bench`, under the conditions of the comparison; failed cells included.
  list find(const comparison& what, std::string_view strategy, const conditions_of& side) const;

 private:
  std::string_view library_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, list> cells_;
  std::map<std::string_view, std::set<std::string_view>> mallocs_;  // by bench
};

struct evidence {
  std::vector<estimate> estimates;  // of which `what.how_many` have to be in the range
  std::string missing;              // what was not measured; empty: nothing
};

evidence collect(const view& cells, const comparison& what);

// For a comparison of cells that have to fail.
struct failures {
  std::size_t failed = 0;
  std::size_t succeeded = 0;
  std::string example;  // the reason that one of them gives
};
failures collect_failures(const view& cells, const comparison& what);

}  // namespace mallard::lab
