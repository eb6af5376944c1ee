#include "lab/results/cell.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/measuring/statistics.hpp"

namespace mallard::lab {

const measure* cell_result::find(std::string_view name) const {
  const auto found = measures.find(std::string(name));
  return found == measures.end() ? nullptr : &found->second;
}

double cell_result::median_of(std::string_view name) const {
  const measure* found = find(name);
  return found ? found->median : std::nan("");
}

std::size_t cell_result::repetitions() const {
  return measures.empty() ? 0 : measures.begin()->second.samples.size();
}

measure summarise(std::string_view unit, std::vector<double> samples, std::uint64_t seed) {
  const interval ci = bootstrap_median(samples, seed);
  const double middle = median(samples);
  return {std::string(unit), std::move(samples), middle, ci.low, ci.high};
}

std::string contender_text(const cell_key& key) {
  const std::string column = column_name(key.strategy, key.peer);
  return key.malloc == system_malloc ? column : fmt::format("{}, {}", column, key.malloc);
}

std::string column_name(std::string_view strategy, std::string_view peer) {
  return fmt::format("{}@{}", strategy, peer);
}

}  // namespace mallard::lab
