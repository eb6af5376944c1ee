// Pairing the cells of two results, or of two strategies of one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results.hpp"

namespace mallard::cli {

// A strategy with a peer's resources: "AS7@mallard".
struct selector {
  std::string strategy;
  std::string peer;
  bool matches(const lab::cell_key& key) const {
    return key.strategy == strategy && key.peer == peer;
  }
};

// Without "@peer": mallard's resources, or none for AS1. Throws usage_error.
selector parse_selector(std::string_view option, std::string_view text);

struct compared_cell {
  lab::cell_key key;     // of the cell that is compared against the base
  double times_as_fast;  // time per leaf of the base / of the other
  bool overlap;          // the confidence intervals overlap: the difference may be chance
};

// Pairs the good cells of equal structure, size and heap: those of the selected strategies, or
// without selection those of equal strategy and peer.
std::vector<compared_cell> compare_cells(const std::vector<lab::cell_result>& base,
                                         const std::vector<lab::cell_result>& others,
                                         const std::optional<selector>& base_strategy,
                                         const std::optional<selector>& other_strategy);

}  // namespace mallard::cli
