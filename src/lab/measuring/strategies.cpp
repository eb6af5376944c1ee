#include "lab/measuring/strategies.hpp"

#include <algorithm>
#include <array>

namespace mallard::lab {
namespace {

using enum mechanism;
using enum binding;
using enum destruction;

constexpr std::array<strategy, 18> table = {{
    {"AS1", global, type_parameter, normal, false},
    {"AS2", global, abstract_base, normal, false},
    {"AS3", monotonic, type_parameter, normal, true},
    {"AS4", monotonic, type_parameter, winked_out, true},
    {"AS5", monotonic, abstract_base, normal, true},
    {"AS6", monotonic, abstract_base, winked_out, true},
    {"AS7", multipool, type_parameter, normal, false},
    {"AS8", multipool, type_parameter, winked_out, false},
    {"AS9", multipool, abstract_base, normal, false},
    {"AS10", multipool, abstract_base, winked_out, false},
    {"AS11", multipool_on_monotonic, type_parameter, normal, true},
    {"AS12", multipool_on_monotonic, type_parameter, winked_out, true},
    {"AS13", multipool_on_monotonic, abstract_base, normal, true},
    {"AS14", multipool_on_monotonic, abstract_base, winked_out, true},
    {"AS3n", monotonic, type_parameter, normal, false},
    {"AS4n", monotonic, type_parameter, winked_out, false},
    {"AS5n", monotonic, abstract_base, normal, false},
    {"AS6n", monotonic, abstract_base, winked_out, false},
}};

}  // namespace

std::span<const strategy> all_strategies() {
  return table;
}

const strategy* find_strategy(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const strategy& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string_view to_string(mechanism what) {
  switch (what) {
    case global:
      return "global heap";
    case monotonic:
      return "monotonic";
    case multipool:
      return "multipool";
    case multipool_on_monotonic:
      return "multipool on monotonic";
  }
  return "?";
}

std::string_view to_string(binding how) {
  return how == type_parameter ? "type parameter" : "abstract base";
}

std::string_view to_string(destruction end) {
  return end == normal ? "normal destruction" : "winked out";
}

}  // namespace mallard::lab
