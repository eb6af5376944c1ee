// Finds the evidence for a comparison in measured cells: ratios of figures with their intervals.
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

// A geometric mean of ratios, with its interval.
struct estimate {
  std::string where;
  double ratio = 1;
  double low = 1;
  double high = 1;
};

inline constexpr std::string_view our_library = "mallard";

// The cells on one heap, with the global heap or one library's resources. If a comparison does not
// name a malloc, cells on the C library's count. Refers to the given cells.
class view {
 public:
  using list = std::vector<const observation*>;

  // `only`: required values of coordinates, for cells that have these. `library`: the default
  // library of a comparison.
  view(std::span<const observation> cells, std::string_view heap, const conditions_of& only = {},
       std::string_view library = our_library);

  // The cells of `what.bench` that meet the conditions of the comparison, failed ones included.
  list find(const comparison& what, std::string_view strategy, const conditions_of& side) const;

 private:
  std::string_view library_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, list> cells_;
  std::map<std::string_view, std::set<std::string_view>> mallocs_;  // by bench
};

struct evidence {
  std::vector<estimate> estimates;  // `what.how_many` of them must be in the range
  std::string missing;              // what was not measured; may be empty
};

evidence collect(const view& cells, const comparison& what);

// For a comparison of cells that must fail.
struct failures {
  std::size_t failed = 0;
  std::size_t succeeded = 0;
  std::string example;  // the reason of one of them
};
failures collect_failures(const view& cells, const comparison& what);

}  // namespace mallard::lab
