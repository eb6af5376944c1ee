#include "lab/measuring/structures.hpp"

#include <algorithm>
#include <array>

namespace mallard::lab {
namespace {

//                                  nested  outer   inner   strings
constexpr std::array<structure, 12> table = {{
    {1, "DS1", "vector<int>", false, false, false, false},
    {2, "DS2", "vector<string>", false, false, false, true},
    {3, "DS3", "unordered_set<int>", false, true, true, false},
    {4, "DS4", "unordered_set<string>", false, true, true, true},
    {5, "DS5", "vector<vector<int>>", true, false, false, false},
    {6, "DS6", "vector<vector<string>>", true, false, false, true},
    {7, "DS7", "vector<unordered_set<int>>", true, false, true, false},
    {8, "DS8", "vector<unordered_set<string>>", true, false, true, true},
    {9, "DS9", "unordered_set<vector<int>>", true, true, false, false},
    {10, "DS10", "unordered_set<vector<string>>", true, true, false, true},
    {11, "DS11", "unordered_set<unordered_set<int>>", true, true, true, false},
    {12, "DS12", "unordered_set<unordered_set<string>>", true, true, true, true},
}};

}  // namespace

std::span<const structure> all_structures() {
  return table;
}

const structure* find_structure(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const structure& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace mallard::lab
