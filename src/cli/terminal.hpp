// Abilities of the terminal.
#pragma once

#include <string>
#include <string_view>

namespace mallard::cli {

enum class colour_choice { automatic, always, never };

// Whether it is a terminal that lines can be drawn anew on: TERM is not "dumb".
bool is_screen(int file_descriptor);

// "auto": only on such a terminal, and not when the environment has NO_COLOR.
bool use_colour(colour_choice choice, int file_descriptor);

// Text on a 24-bit background from green (0) over yellow to red (1).
std::string on_heat(std::string_view text, double heat);

// Text in bold, green, red or grey, when `colour` is set.
enum class style { bold, good, bad, faint };
std::string styled(std::string_view text, style how, bool colour);

}  // namespace mallard::cli
