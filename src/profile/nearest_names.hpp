// Finds the names that somebody may have meant.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::profile {

// Insertions, deletions and replacements from one to the other. O(lengths multiplied).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Those of `names` that are most like `wanted`, the most alike first; none where nothing is.
// O(names x lengths).
std::vector<std::string> nearest_names(std::string_view wanted, const std::set<std::string>& names,
                                       std::size_t most);

}  // namespace mallard::profile
