// Finds names similar to a mistyped one.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::profile {

// The number of insertions, deletions and replacements. O(product of the lengths).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The `most` names most similar to `wanted`, the best first; none if none is similar. O(names x
// lengths).
std::vector<std::string> nearest_names(std::string_view wanted, const std::set<std::string>& names,
                                       std::size_t most);

}  // namespace mallard::profile
