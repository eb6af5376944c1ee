// The rooms of the project, as docs/map.md lists them, and includes that go where they may not.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace structure {

// Text of files by path, relative to the root of the project.
using source_tree = std::map<std::string, std::string>;

// Reads the C++ files under include/ and src/ of the project at `root`.
source_tree read_sources(const std::string& root);

struct room {
  std::string name;
  std::vector<std::string>
      paths;  // folders, files, or "folder/*.hpp": the files beside its folders
  std::set<std::string> may_include;  // other rooms
  std::set<std::string> by_macro;     // rooms whose headers a macro of the malloc's build names
  std::vector<std::string> start;     // the end of the path of the file to read first, if any
};

// The table of rooms in a page. Throws std::runtime_error when a row is not understood.
std::vector<room> read_rooms(const std::string& page);

// Returns: a line for each include between rooms that the list does not allow, for each file
// without a room, and for each room that may include one that is not listed above it.
std::vector<std::string> include_violations(const std::vector<room>& rooms,
                                            const source_tree& tree);

// The same of a build, whatever an include looks like: `deps` is the output of `ninja -t deps` in
// the folder `build` of the project at `root`. An object may depend on the rooms that its own files
// may include, and on what those may include.
std::vector<std::string> build_violations(const std::vector<room>& rooms, std::string_view deps,
                                          const std::string& build, const std::string& root);

}  // namespace structure
