// Pairing cells: of two results, or of two strategies or mallocs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/cell.hpp"

namespace mallard::cli {

// Cells of one strategy with a library's resources, or of one malloc.
struct selector {
  std::string strategy;
  std::string peer;
  std::string malloc;  // when this is not empty, the others are

  bool matches(const lab::cell_result& cell) const;
};

// The name of a malloc, or a strategy, "v2@boost". Without "@peer": mallard's resources, or none
// for AS1. Throws usage_error when no cell matches.
selector parse_selector(std::string_view option, std::string_view text,
                        const std::vector<lab::cell_result>& cells);

struct compared_figure {
  lab::cell_key key;     // of the cell that is compared against the base
  double times_as_fast;  // the base's measure / the other's; the inverse where more is better
  bool overlap;          // the confidence intervals overlap: the difference may be chance
};

// Pairs the good cells that lie in equal places: those selected, or without selection those of
// equal strategies and mallocs; of equal strategies when each side has one malloc only. `measure`:
// empty for what each bench is compared by.
std::vector<compared_figure> compare_figures(const std::vector<lab::cell_result>& base,
                                             const std::vector<lab::cell_result>& others,
                                             const std::optional<selector>& base_selector,
                                             const std::optional<selector>& other_selector,
                                             const std::string& measure);

// The geometric means by bench, strategy, malloc and heap, then every pair.
std::string comparison_text(const std::vector<compared_figure>& pairs);

}  // namespace mallard::cli
