// Writes the command line's reference for readers and for shells, from the command's own model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_parser.hpp"

namespace mallard::cli {

// The man page of the program, mallard(1), in the language of roff's man macros.
std::string manual_page(const std::vector<described_command>& all, std::string_view version);

// The same as a page in Markdown.
std::string manual_markdown(const std::vector<described_command>& all);

// The text that makes a shell complete commands, options and files. Shells: "bash", "zsh" and
// "fish".
std::string completion_for(std::string_view shell, std::vector<described_command> all);

}  // namespace mallard::cli
