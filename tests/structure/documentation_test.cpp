// What the documents promise about each other and about the headers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path source = MALLARD_SOURCE_DIR;

std::string read(const fs::path& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The numbers in a text that stand for themselves: "34.7", but not the 2 of "2^14".
std::vector<std::string> figures_in(const std::string& text) {
  static const std::regex figure(R"((^|[\s(])(\d+\.\d+)(?=[\s,;.:)]|$))");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), figure), end; at != end; ++at) {
    found.push_back((*at)[2]);
  }
  return found;
}

// The paragraphs of a page that begin with a word.
std::vector<std::string> paragraphs(const std::string& page, const std::string& word) {
  std::vector<std::string> found;
  std::istringstream in(page);
  std::string line;
  bool inside = false;
  while (std::getline(in, line)) {
    if (line.empty()) inside = false;
    if (line.starts_with(word)) {
      inside = true;
      found.emplace_back();
    }
    if (inside) found.back() += line + '\n';
  }
  return found;
}

TEST(Documentation, TheMapNamesEveryPublicHeader) {
  const std::string map = read(source / "docs/map.md");
  std::size_t headers = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source / "include")) {
    const std::string name = fs::relative(entry.path(), source / "include").string();
    if (entry.is_directory() || name.starts_with("mallard/detail/")) continue;
    EXPECT_NE(map.find('`' + name + '`'), std::string::npos) << name;
    ++headers;
  }
  EXPECT_GE(headers, 60U);
}

TEST(Documentation, FiguresQuotedElsewhereAreThoseOfTheResults) {
  const std::string results = read(source / "docs/results.md");
  std::size_t quoted = 0;
  for (const std::string& paragraph : paragraphs(read(source / "docs/choosing.md"), "*Measured*")) {
    for (const std::string& figure : figures_in(paragraph)) {
      const std::regex as_a_word("(^|[^0-9.])" +
                                 std::regex_replace(figure, std::regex("\\."), "\\.") +
                                 "([^0-9.]|\\.[^0-9]|$)");
      EXPECT_TRUE(std::regex_search(results, as_a_word))
          << figure << " is not in docs/results.md:\n"
          << paragraph;
      ++quoted;
    }
  }
  EXPECT_GE(quoted, 10U);
}

TEST(Documentation, FiguresAreFoundInText) {
  EXPECT_EQ(figures_in("it takes 1.9 ns, with malloc\n34.7 ns (2.5), not 2^14 or v1.2."),
            (std::vector<std::string>{"1.9", "34.7", "2.5"}));
}

TEST(Documentation, TheReadmeLinksEveryDocument) {
  const std::string readme = read(source / "README.md");
  for (const auto& entry : fs::directory_iterator(source / "docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::string link = "(docs/" + entry.path().filename().string() + ")";
    EXPECT_NE(readme.find(link), std::string::npos) << link;
  }
}

}  // namespace
