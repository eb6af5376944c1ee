#include "whatif/ways.hpp"

#include <algorithm>
#include <cstdint>

namespace mallard::whatif {

bool have_same_conditions(const route_rules& some, const route_rules& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const auto& a, const auto& b) { return a.has_conditions_of(b); });
}

bool go_the_same_way(const route_rules& some, const route_rules& others) {
  return have_same_conditions(some, others) &&
         std::equal(some.begin(), some.end(), others.begin(),
                    [](const auto& a, const auto& b) { return a.is_scoped() == b.is_scoped(); });
}

bool are_scoped(const route_rules& rules) {
  return !rules.empty() &&
         std::all_of(rules.begin(), rules.end(), [](const auto& one) { return one.is_scoped(); });
}

bool was_met(const std::vector<route_outcome>& routes) {
  return std::any_of(routes.begin(), routes.end(), [](const route_outcome& one) {
    return one.blocks != 0 || one.passed_on != 0;
  });
}

bool fit_turns(double seconds, const std::vector<route_outcome>& routes) {
  constexpr double shortest = 0.05;  // of fifty turns
  constexpr std::uint64_t fewest_invocations = 64;
  constexpr std::uint64_t one_of =
      100;  // blocks may be freed later or by others, whose time is in no turn
  // Each keeps an arena, and those of the malloc are told apart by a byte.
  constexpr std::uint64_t most_survivors = 64;
  return seconds >= shortest &&
         std::all_of(routes.begin(), routes.end(), [](const route_outcome& one) {
           return one.resets >= fewest_invocations && one.survivors <= most_survivors &&
                  one.survivors + one.passed_on + one.freed_elsewhere <= one.blocks / one_of;
         });
}

}  // namespace mallard::whatif
