// The twelve data structures of P0089R1, Table 2, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mallard::lab {

inline constexpr std::uint64_t inner_elements = 128;       // leaves in each inner container
inline constexpr std::uint64_t paper_leaves = 1ULL << 27;  // leaf insertions in each of its cells

struct structure {
  int number;  // 1..12
  std::string_view name;
  std::string_view type;
  bool nested;     // a container of containers
  bool outer_set;  // the outer container is an unordered_set
  bool inner_set;  // the container of the leaves is an unordered_set
  bool strings;    // the leaves are strings
  std::uint64_t leaves_per_element() const { return nested ? inner_elements : 1; }
};

// DS1..DS12.
std::span<const structure> all_structures();

// Returns: null if there is no structure with this name.
const structure* find_structure(std::string_view name);

}  // namespace mallard::lab
