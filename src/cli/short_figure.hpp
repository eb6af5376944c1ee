// Figures as the command prints them.
#pragma once

#include <fmt/format.h>

#include <string>

namespace mallard::cli {

// Three significant digits, without an exponent.
inline std::string short_figure(double value) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace mallard::cli
