#include "profile/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "profile/function_names.hpp"

namespace mallard::profile {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return out;
}

std::string_view last_part(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == name.npos ? name : name.substr(at + 2);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> nearest_names(std::string_view wanted, const std::set<std::string>& names,
                                       std::size_t most) {
  const std::string whole = lower(wanted);
  const std::string_view last = last_part(whole);
  std::vector<std::pair<std::size_t, const std::string*>> found;
  for (const std::string& name : names) {
    const std::string mine = lower(short_name(name));
    const std::size_t steps =
        std::min(edit_distance(whole, mine), edit_distance(last, last_part(mine)));
    const bool inside = last.size() >= 3 && mine.find(last) != mine.npos;
    if (inside || 2 * steps <= last.size()) found.emplace_back(inside ? 0 : steps, &name);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  std::vector<std::string> out;
  for (const auto& [steps, name] : found) {
    if (out.size() < most) out.push_back(*name);
  }
  return out;
}

}  // namespace mallard::profile
