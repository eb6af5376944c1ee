#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace mallard::cli {

bool is_screen(int file_descriptor) {
  const char* const kind = std::getenv("TERM");
  return isatty(file_descriptor) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool use_colour(colour_choice choice, int file_descriptor) {
  if (choice != colour_choice::automatic) return choice == colour_choice::always;
  const char* no_colour = std::getenv("NO_COLOR");
  return is_screen(file_descriptor) && (!no_colour || *no_colour == '\0');
}

std::string on_heat(std::string_view text, double heat) {
  // Two linear pieces, as in the paper's tables: green to yellow, yellow to red. Black text is
  // readable on all of them.
  struct rgb {
    double red, green, blue;
  };
  constexpr rgb low{99, 190, 123};
  constexpr rgb middle{255, 235, 132};
  constexpr rgb high{248, 105, 107};
  const double clamped = std::clamp(heat, 0.0, 1.0);
  const rgb& from = clamped < 0.5 ? low : middle;
  const rgb& to = clamped < 0.5 ? middle : high;
  const double part = clamped < 0.5 ? clamped * 2 : clamped * 2 - 1;
  const auto mix = [part](double a, double b) { return static_cast<int>(a + (b - a) * part); };
  return fmt::format("\033[30;48;2;{};{};{}m{}\033[0m", mix(from.red, to.red),
                     mix(from.green, to.green), mix(from.blue, to.blue), text);
}

std::string styled(std::string_view text, style how, bool colour) {
  if (!colour) return std::string(text);
  constexpr std::string_view codes[] = {"1", "32", "31", "2"};
  return fmt::format("\033[{}m{}\033[0m", codes[static_cast<std::size_t>(how)], text);
}

}  // namespace mallard::cli
