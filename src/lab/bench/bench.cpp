#include "lab/bench/bench.hpp"

#include <algorithm>

namespace mallard::lab {

const measure_kind* bench::find_measure(std::string_view wanted) const {
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const measure_kind& one) { return one.name == wanted; });
  return found == measures.end() ? nullptr : &*found;
}

const bench* find_bench(std::string_view name) {
  for (const bench& one : all_benches()) {
    if (one.name == name || (!one.parts.series.empty() && one.parts.series == name)) return &one;
  }
  return nullptr;
}

}  // namespace mallard::lab
