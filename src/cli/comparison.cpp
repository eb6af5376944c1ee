#include "cli/comparison.hpp"

#include <fmt/format.h>

#include <map>

#include "cli/usage_error.hpp"
#include "lab/peers.hpp"
#include "lab/strategies.hpp"

namespace mallard::cli {
namespace {

// Results of different --scale are comparable per leaf only.
double per_leaf(double seconds, const lab::cell_result& cell) {
  return seconds / static_cast<double>(cell.leaves);
}

bool overlap(const lab::cell_result& a, const lab::cell_result& b) {
  return per_leaf(a.ci_low, a) <= per_leaf(b.ci_high, b) &&
         per_leaf(b.ci_low, b) <= per_leaf(a.ci_high, a);
}

}  // namespace

selector parse_selector(std::string_view option, std::string_view text) {
  const auto at = text.find('@');
  selector chosen{std::string(text.substr(0, at)), {}};
  if (!lab::find_strategy(chosen.strategy)) {
    throw usage_error(fmt::format("{}: unknown strategy '{}'", option, chosen.strategy));
  }
  if (at != text.npos) {
    chosen.peer = text.substr(at + 1);
  } else {
    chosen.peer = chosen.strategy == "AS1" ? lab::global_peer : "mallard";
  }
  return chosen;
}

std::vector<compared_cell> compare_cells(const std::vector<lab::cell_result>& base,
                                         const std::vector<lab::cell_result>& others,
                                         const std::optional<selector>& base_strategy,
                                         const std::optional<selector>& other_strategy) {
  // With a selection the strategies differ, so they are left out of the key.
  const auto key_of = [&](const lab::cell_result& cell) {
    lab::cell_key key = cell.key;
    if (base_strategy) key.strategy = key.peer = {};
    return key;
  };
  std::map<lab::cell_key, const lab::cell_result*> bases;
  for (const auto& cell : base) {
    if (cell.ok() && (!base_strategy || base_strategy->matches(cell.key))) {
      bases[key_of(cell)] = &cell;
    }
  }
  std::vector<compared_cell> pairs;
  for (const auto& cell : others) {
    if (!cell.ok() || (other_strategy && !other_strategy->matches(cell.key))) continue;
    const auto found = bases.find(key_of(cell));
    if (found == bases.end()) continue;
    const auto& [key, reference] = *found;
    pairs.push_back({cell.key,
                     per_leaf(reference->median, *reference) / per_leaf(cell.median, cell),
                     overlap(*reference, cell)});
  }
  return pairs;
}

}  // namespace mallard::cli
