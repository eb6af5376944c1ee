// Which layer a file belongs to, and whether its includes stay below it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace structure {

// Text of files by path, relative to the root of the project.
using source_tree = std::map<std::string, std::string>;

// Reads the C++ files under include/ and src/ of the project at `root`.
source_tree read_sources(const std::string& root);

// Returns: a line for each include that goes upwards, and for each file that has no layer.
std::vector<std::string> layer_violations(const source_tree& tree);

}  // namespace structure
