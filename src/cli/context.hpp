// State that every command gets.
#pragma once

#include <string>

#include "cli/terminal.hpp"

namespace mallard::cli {

struct context {
  std::string command_line;  // as it was typed
  bool has_dashes = false;   // "--" is in it: what comes after is a command to run
  colour_choice colour = colour_choice::automatic;
};

}  // namespace mallard::cli
