#include "lab/series.hpp"

#include <utility>

#include "lab/statistics.hpp"

namespace mallard::lab {

std::string to_string(const coordinate& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

const measure* series_cell::find(const std::string& name) const {
  const auto found = measures.find(name);
  return found == measures.end() ? nullptr : &found->second;
}

measure summarise(std::string_view unit, std::vector<double> samples, std::uint64_t seed) {
  const interval ci = bootstrap_median(samples, seed);
  const double middle = median(samples);
  return {std::string(unit), std::move(samples), middle, ci.low, ci.high};
}

}  // namespace mallard::lab
