// Names for users are found in a public header: the headers of `detail/` define names of the
// namespace `detail` alone, and give public classes no verbs.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "structure/layers.hpp"

namespace {

bool is_in_detail(const std::string& path) {
  return path.starts_with("include/mallard/detail/");
}

// The lines at which a formatted header defines something in the library's namespace itself.
// A forward declaration defines nothing.
std::vector<std::string> public_definitions(const std::string& header) {
  static const std::regex opens(R"(namespace ([\w: ]*)\{(\s*//.*)?)");
  static const std::regex forward(R"((class|struct|enum class) \w+( : [\w:]+)?;.*)");
  static const std::regex nothing(R"(|[ #/}].*|template <.*|(public|private|protected):)");
  std::vector<std::string> found, open;
  std::istringstream in(header);
  std::string line;
  while (std::getline(in, line)) {
    std::smatch name;
    if (std::regex_match(line, name, opens)) {
      open.push_back(name[1]);
    } else if (line.starts_with("}  // namespace") || (line == "}" && !open.empty())) {
      if (!open.empty()) open.pop_back();
    } else if (!open.empty() && !std::regex_match(line, nothing) &&
               !std::regex_match(line, forward)) {
      std::string all;
      for (const std::string& one : open) all += one;
      if (all.find("mallard") != std::string::npos && all.find("detail") == std::string::npos) {
        found.push_back(line);
      }
    }
  }
  return found;
}

TEST(public_names, none_is_defined_in_a_header_of_detail) {
  std::size_t headers = 0;
  for (const auto& [path, text] : structure::read_sources(MALLARD_SOURCE_DIR)) {
    if (!is_in_detail(path)) continue;
    ++headers;
    for (const std::string& line : public_definitions(text)) ADD_FAILURE() << path << ": " << line;
  }
  EXPECT_GT(headers, 50U);
}

// A base of a public class whose verbs a user calls is a public class too. These have none that the
// class does not describe itself.
TEST(public_names, no_public_class_has_its_verbs_from_detail) {
  const std::set<std::string> without_verbs = {"by_base", "checked_verbs", "checked_marks",
                                               "checked_limits"};
  static const std::regex base(R"(public detail::(\w+))");
  std::size_t bases = 0;
  for (const auto& [path, text] : structure::read_sources(MALLARD_SOURCE_DIR)) {
    if (!path.starts_with("include/") || is_in_detail(path)) continue;
    for (std::sregex_iterator at(text.begin(), text.end(), base), end; at != end; ++at) {
      EXPECT_TRUE(without_verbs.contains((*at)[1])) << path << ": " << (*at)[1];
      ++bases;
    }
  }
  EXPECT_GT(bases, 5U);
}

// The rule itself, on headers made up for it.

TEST(public_names, definitions_are_told_from_declarations) {
  EXPECT_EQ(public_definitions("namespace mallard::inline v1 {\n"
                               "struct options {\n"
                               "  int n = 0;\n"
                               "};\n"
                               "}  // namespace mallard::inline v1\n"),
            std::vector<std::string>{"struct options {"});
  EXPECT_TRUE(public_definitions("namespace mallard::inline v1 {\n"
                                 "class resource;\n"
                                 "\n"
                                 "namespace detail {\n"
                                 "class registry {\n"
                                 "};\n"
                                 "}  // namespace detail\n"
                                 "}  // namespace mallard::inline v1\n"
                                 "namespace mallard::inline v1::detail {\n"
                                 "inline int n = 0;\n"
                                 "}\n")
                  .empty());
}

}  // namespace
