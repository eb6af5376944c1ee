#include "cli/profile_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "cli/terminal.hpp"
#include "cli/usage_error.hpp"
#include "profile/function_names.hpp"

namespace mallard::cli {

std::string fitted(std::string text, std::size_t width) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char one) { return one < ' ' || one == 0x7f; }, '?');
  if (text.size() <= width) return text;
  // The end of a name says more than its beginning, but both say something.
  const std::size_t front = (width - 3) / 3;
  return text.substr(0, front) + "..." + text.substr(text.size() - (width - 3 - front));
}

std::string fitted_function(const std::string& name, std::size_t width) {
  return fitted(name.size() <= width ? name : profile::short_name(name), width);
}

std::string place_text(const std::string& function, const std::string& file, unsigned line) {
  const std::string name = file.substr(file.rfind('/') + 1);
  if (name.empty()) return fitted_function(function, 60);
  return fitted_function(function, 40) + fmt::format("  {}:{}", name, line);
}

std::string value_with_bar(const std::optional<double>& value, bool colour) {
  if (!value) return "-";
  const double bounded = std::clamp(*value, 0.0, 1.0);
  static constexpr const char* eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  std::string bar;
  int left = static_cast<int>(std::lround(bounded * 32));
  for (int i = 0; i < 4; ++i, left -= 8) bar += eighths[std::clamp(left, 0, 8)];
  const style how = bounded > 0.66 ? style::bad : bounded > 0.33 ? style::bold : style::good;
  return fmt::format("{:.2f} {}", bounded, styled(bar, how, colour));
}

void warn(const std::vector<std::string>& problems) {
  for (const std::string& line : problems) fmt::print(stderr, "mallard: {}\n", line);
}

bool warn_if_not_whole(const profile::trace_reader& trace, const std::string& name) {
  warn(trace.problems());
  if (trace.dropped() != 0) warn({fmt::format("{}: {} events were lost", name, trace.dropped())});
  return trace.is_whole();
}

std::string waits_long_text(int pid) {
  return fmt::format(
      "mallard: process {} is not yet at a place where a library can be loaded; waiting at most "
      "10 s",
      pid);
}

}  // namespace mallard::cli
