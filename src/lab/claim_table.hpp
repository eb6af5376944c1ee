// How a claim is written down: as comparisons of strategies that have to lie in a range.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace mallard::lab {

using names = std::vector<std::string_view>;

// What has to be in the range.
enum class over {
  all,       // the geometric mean over everything that is compared
  strategy,  // the mean of each pair of strategies, over structures and sizes
  cell,      // every single cell
};

struct size_range {
  int first = 0;
  int last = std::numeric_limits<int>::max();
  bool contains(int size) const { return size >= first && size <= last; }
};

// The time of left[i] divided by that of right[i] in the same structure and size; a list of one
// name is compared with all of the other. An empty `right` compares left[i] at the sizes `at` with
// itself at the sizes `base`: how its time per leaf changes with size.
struct comparison {
  std::string_view label;
  names structures;
  names left;
  names right;
  double at_least = 0;
  double at_most = std::numeric_limits<double>::infinity();
  over what = over::all;
  size_range at = {};
  size_range base = {};
};

// Holds when all its comparisons do.
struct claim {
  std::string_view id;
  std::string_view section;
  std::string_view statement;
  std::string_view note;
  std::vector<comparison> comparisons;
};

// Benchmark I: the statements of section 7 of P0089R1, in its order.
std::span<const claim> density_claims();

}  // namespace mallard::lab
