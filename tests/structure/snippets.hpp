// Turns the C++ examples of a markdown page into a program.
#pragma once

#include <string>

namespace structure {

// Effects: collects the blocks fenced as ```cpp of the page. Each becomes a function body, so that
// blocks do not see each other's names; a block with a main() of its own is taken as it is, with
// its main() renamed. All includes are moved to the top. The program runs every block in turn.
// Returns: the program; without any block, one that does nothing.
// Errors: std::runtime_error for a fence that is never closed, and for a block marked to be left
// out, such as ```cpp no-compile: every example must be true.
std::string program_of_page(const std::string& page_name, const std::string& markdown);

}  // namespace structure
