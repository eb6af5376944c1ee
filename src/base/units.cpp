#include "base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace mallard::base {
namespace {

// So many decimals that there are three significant digits: of the rounded number, for 9.999 has
// one digit before the point and 10.0 two.
int decimals_of(double value) {
  const double size = std::fabs(value);
  int decimals = 0;
  if (size < 99.95) decimals = 1;
  if (size < 9.995) decimals = 2;
  if (size < 0.9995 && size > 0) {
    decimals = std::min(8, 2 - static_cast<int>(std::floor(std::log10(size * 1.0005))));
  }
  return decimals;
}

std::string without_zeros(std::string text) {
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

struct unit {
  double size;
  std::string_view name;
};

// In the largest unit of which there is one, rounded; in the smallest otherwise. `units` go from
// the largest to the smallest.
template <std::size_t N>
std::string with_unit(double value, const unit (&units)[N]) {
  const auto fits = [&](const unit& one) {
    const double count = std::fabs(value) / one.size;
    return std::round(count * 1000) >= 1000;
  };
  const unit* found = std::find_if(std::begin(units), std::end(units), fits);
  if (found == std::end(units)) --found;
  return without_zeros(figure_text(value / found->size)).append(found->name);
}

}  // namespace

std::string figure_text(double value) {
  return fmt::format("{:.{}f}", value, value == 0 ? 2 : decimals_of(value));
}

std::string bytes_text(double bytes) {
  static constexpr unit units[] = {{0x1p60, " EiB"}, {0x1p50, " PiB"}, {0x1p40, " TiB"},
                                   {0x1p30, " GiB"}, {0x1p20, " MiB"}, {0x1p10, " KiB"},
                                   {1, " B"}};
  return with_unit(bytes, units);
}

std::string time_text(double seconds) {
  static constexpr unit units[] = {{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}};
  if (seconds == 0) return "0 s";
  return with_unit(seconds, units);
}

std::string count_text(double count) {
  static constexpr unit units[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}};
  return std::fabs(count) < 999.5 ? fmt::format("{:.0f}", count) : with_unit(count, units);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string share_text(double share) {
  const double percent = 100 * share;
  const bool small = percent > 0 && percent < 9.95;
  const bool nearly_all = percent > 99 && percent < 100;
  if (nearly_all) return fmt::format("{:.1f} %", std::floor(10 * percent) / 10);
  return fmt::format("{:.{}f} %", percent, small ? 1 : 0);
}

}  // namespace mallard::base
