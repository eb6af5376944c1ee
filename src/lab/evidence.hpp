// What measured cells say about a comparison: ratios of times with their intervals.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lab/claim_table.hpp"
#include "lab/results.hpp"

namespace mallard::lab {

// A geometric mean of ratios of times, with its interval.
struct estimate {
  std::string where;
  double ratio = 1;
  double low = 1;
  double high = 1;
};

// The good cells of one heap, with our resources. Refers to the cells it was made of.
class view {
 public:
  using by_size = std::map<int, const cell_result*>;

  view(std::span<const cell_result> cells, std::string_view heap);

  // Empty when nothing was measured.
  const by_size& sizes(std::string_view ds, std::string_view strategy) const;

 private:
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, by_size> cells_;
};

struct evidence {
  std::vector<estimate> estimates;  // each of which has to be in the range
  std::string missing;              // what was not measured; empty: nothing
};

evidence collect(const view& cells, const comparison& what);

}  // namespace mallard::lab
