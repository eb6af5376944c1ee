// Turns the C++ examples of markdown pages and public headers into a program.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace structure {

// Effects: collects the blocks fenced as ```cpp of each page, given by its path and text. Each
// block becomes a function body, so that blocks do not see each other's names; a block with a
// main() of its own is taken as it is, with its main() renamed. Each page has a namespace. All
// includes are moved to the top. The program runs every block of the page that it is given by name
// ("map" of "docs/map.md"). Errors: std::runtime_error for a fence that is never closed, and for a
// block marked to be left out, such as ```cpp no-compile: every example must be true.
//
// A path that ends in .hpp is a header. Its examples are the lines of its first comment that are
// three spaces in; it must have one. Its program includes the header, mallard/mallard.hpp,
// and the standard library's headers that examples use.
std::string program_of_pages(const std::vector<std::pair<std::string, std::string>>& pages);

}  // namespace structure
