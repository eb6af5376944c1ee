#include "structure/layers.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "support/read_file.hpp"

namespace structure {
namespace {

namespace fs = std::filesystem;

// The words between backticks.
std::vector<std::string> quoted_words(const std::string& text) {
  static const std::regex word("`([^`]+)`");
  std::vector<std::string> words;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
    words.push_back((*at)[1]);
  }
  return words;
}

std::set<std::string> names_in(const std::string& text) {
  const auto words = quoted_words(text);
  return {words.begin(), words.end()};
}

std::vector<std::string> columns_of(const std::string& row) {
  std::vector<std::string> columns;
  std::istringstream parts(row.substr(1));
  for (std::string column; std::getline(parts, column, '|');) columns.push_back(column);
  return columns;
}

room room_of_row(const std::string& row) {
  const auto columns = columns_of(row);
  const auto names = columns.size() < 4 ? std::vector<std::string>() : quoted_words(columns[0]);
  if (names.size() != 1) throw std::runtime_error("no row of a room: " + row);
  const std::string& includes = columns[3];
  const auto macro = std::min(includes.find("by macro:"), includes.size());
  return {names[0], quoted_words(columns[1]), names_in(includes.substr(0, macro)),
          names_in(includes.substr(macro)),
          columns.size() > 4 ? quoted_words(columns[4]) : std::vector<std::string>()};
}

// The length of what names the path, if it fits: the longest fits best; 0: it does not.
std::size_t fit(const std::string& named, std::string_view path) {
  const auto star = named.find('*');
  if (star != named.npos) {
    const std::string folder = named.substr(0, star);
    const bool beside =
        path.starts_with(folder) && path.find('/', folder.size()) == std::string_view::npos;
    return beside ? folder.size() : 0;
  }
  const bool inside = path == named || path.starts_with(named + "/");
  return inside ? named.size() + 1 : 0;
}

const room* room_of(const std::vector<room>& rooms, std::string_view path) {
  const room* best = nullptr;
  std::size_t longest = 0;
  for (const room& one : rooms) {
    for (const std::string& named : one.paths) {
      const std::size_t length = fit(named, path);
      if (length <= longest) continue;
      longest = length;
      best = &one;
    }
  }
  return best;
}

std::vector<std::string> includes_in(const std::string& text) {
  static const std::regex pattern(R"re((^|\n)[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">])re");
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    out.push_back((*at)[2]);
  }
  return out;
}

// The file in the project, or nothing. A header that is not there would be one of ours all the
// same.
std::optional<std::string> resolve(const std::string& include, const source_tree& tree) {
  if (tree.contains("src/" + include)) return "src/" + include;
  if (include.starts_with("mallard/")) return "include/" + include;
  return std::nullopt;
}

// The rooms that code of these rooms may end up depending on.
std::set<std::string> reach(const std::vector<room>& rooms, std::set<std::string> from,
                            bool with_macros) {
  for (std::size_t before = 0; before != from.size();) {
    before = from.size();
    for (const room& one : rooms) {
      if (!from.contains(one.name)) continue;
      from.insert(one.may_include.begin(), one.may_include.end());
      if (with_macros) from.insert(one.by_macro.begin(), one.by_macro.end());
    }
  }
  return from;
}

// An object, and the files of the project that it was compiled from; generated ones lie in the
// build's folder as their sources lie in the project.
struct object {
  std::string name;
  std::vector<std::string> files;
};

std::vector<object> objects_in(std::string_view deps, const fs::path& build, const fs::path& root) {
  std::vector<object> objects;
  std::istringstream lines{std::string(deps)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.front() != ' ') {
      objects.push_back({line.substr(0, line.find(':')), {}});
      continue;
    }
    if (objects.empty()) continue;
    const fs::path file = (build / line.substr(line.find_first_not_of(' '))).lexically_normal();
    for (const fs::path& base : {build, root}) {
      const std::string relative = file.lexically_relative(base).generic_string();
      if (!relative.starts_with("src/") && !relative.starts_with("include/")) continue;
      objects.back().files.push_back(relative);
      break;
    }
  }
  return objects;
}

}  // namespace

source_tree read_sources(const std::string& root) {
  source_tree tree;
  for (const char* top : {"include", "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp" && extension != ".h") continue;
      tree[fs::relative(entry.path(), root).generic_string()] =
          mallard_test::read_file(entry.path());
    }
  }
  return tree;
}

std::vector<room> read_rooms(const std::string& page) {
  const auto begin = page.find("\n| room |");
  if (begin == page.npos) throw std::runtime_error("no table of rooms");
  std::istringstream lines(page.substr(begin + 1));
  std::string line;
  for (int heads = 0; heads < 2; ++heads) std::getline(lines, line);
  std::vector<room> rooms;
  while (std::getline(lines, line) && line.starts_with("|")) rooms.push_back(room_of_row(line));
  return rooms;
}

std::vector<std::string> include_violations(const std::vector<room>& rooms,
                                            const source_tree& tree) {
  std::vector<std::string> out;
  std::set<std::string> above;
  for (const room& one : rooms) {
    for (const std::string& other : one.may_include) {
      if (!above.contains(other))
        out.push_back(one.name + " may include " + other + ", which is not above it");
    }
    above.insert(one.name);
  }
  for (const auto& [path, text] : tree) {
    const room* const own = room_of(rooms, path);
    if (!own) {
      out.push_back(path + " belongs to no room");
      continue;
    }
    for (const std::string& include : includes_in(text)) {
      const auto target = resolve(include, tree);
      if (!target) continue;
      const room* const other = room_of(rooms, *target);
      if (!other) {
        out.push_back(path + " includes " + include + ", which belongs to no room");
      } else if (other != own && !own->may_include.contains(other->name)) {
        out.push_back(path + " (" + own->name + ") includes " + include + " (" + other->name + ")");
      }
    }
  }
  return out;
}

std::vector<std::string> build_violations(const std::vector<room>& rooms, std::string_view deps,
                                          const std::string& build, const std::string& root) {
  std::vector<std::string> out;
  for (const object& one : objects_in(deps, build, root)) {
    if (!one.name.starts_with("src/")) continue;
    std::set<std::string> own;
    for (const std::string& file : one.files) {
      const room* const found = file.ends_with(".cpp") ? room_of(rooms, file) : nullptr;
      if (found) own.insert(found->name);
    }
    if (own.empty()) continue;
    const auto allowed = reach(rooms, own, one.name.starts_with("src/malloc/"));
    for (const std::string& file : one.files) {
      if (file.find("/CMakeFiles/") != file.npos) continue;  // CMake's list of sources
      const room* const found = room_of(rooms, file);
      if (found && !allowed.contains(found->name)) {
        out.push_back(one.name + " depends on " + file + " (" + found->name + ")");
      }
    }
  }
  return out;
}

}  // namespace structure
