// The documents' promises about each other and about the headers.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/scratch_path.hpp"

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

TEST(documentation, the_map_names_every_public_header) {
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

// A heading's anchor, as GitHub and the site make it: "## What it costs" is what-it-costs.
std::string anchor_of(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0 || c == '-' || c == '_') {
      out += static_cast<char>(std::tolower(letter));
    } else if (c == ' ') {
      out += '-';
    }
  }
  return out;
}

// The lines of a page that are text, not code.
std::vector<std::string> prose_of(const fs::path& page) {
  std::vector<std::string> found;
  std::istringstream in(read(page));
  std::string line;
  bool code = false;
  while (std::getline(in, line)) {
    if (line.starts_with("```")) code = !code;
    if (!code) found.push_back(line);
  }
  return found;
}

std::set<std::string> anchors_in(const fs::path& page) {
  std::set<std::string> found;
  for (const std::string& line : prose_of(page)) {
    const std::size_t text = line.find_first_not_of('#');
    if (line.starts_with('#') && text != std::string::npos) {
      found.insert(anchor_of(line.substr(text + 1)));
    }
  }
  return found;
}

TEST(documentation, every_link_of_a_page_leads_to_a_file_and_a_heading) {
  std::vector<fs::path> pages{source / "README.md", source / "CHANGELOG.md",
                              source / "CONTRIBUTING.md", source / "SECURITY.md"};
  for (const auto& entry : fs::directory_iterator(source / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  static const std::regex link(R"(\]\(([^)\s#]*)(#[^)\s]*)?\))");
  std::size_t links = 0;
  for (const fs::path& page : pages) {
    for (const std::string& line : prose_of(page)) {
      for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
        const std::string file = (*at)[1];
        const std::string heading = (*at)[2];
        if (file.starts_with("http")) continue;
        const fs::path to = file.empty() ? page : page.parent_path() / file;
        EXPECT_TRUE(fs::exists(to)) << page << ": " << at->str();
        if (!heading.empty() && to.extension() == ".md") {
          EXPECT_TRUE(anchors_in(to).contains(heading.substr(1))) << page << ": " << at->str();
        }
        ++links;
      }
    }
  }
  EXPECT_GE(links, 80U);
}

// `make site` builds these with zensical; what goes into it is made without.
TEST(documentation, the_site_has_each_document_and_the_contracts_of_each_public_header) {
  const mallard::scratch_folder site;
  const fs::path& pages = site.path();
  for (const char* maker : {"pages.mjs", "api.mjs"}) {
    const std::string call = "node '" + (source / "packaging/site" / maker).string() + "' '" +
                             pages.string() + "' >/dev/null";
    ASSERT_EQ(std::system(call.c_str()), 0) << call;
  }
  const std::string menu = read(source / "packaging/site/mkdocs.yml");
  static const std::regex link(R"(\]\(([^)\s#:]+\.md)(#[^)\s]*)?\))");
  std::string references;
  for (const auto& entry : fs::directory_iterator(pages)) {
    if (entry.path().extension() != ".md") continue;
    const std::string name = entry.path().filename().string();
    EXPECT_NE(menu.find(": " + name + '\n'), std::string::npos) << name << " is not in the menu";
    if (name.starts_with("api")) references += read(entry.path());
    for (const std::string& line : prose_of(entry.path())) {
      for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
        EXPECT_TRUE(fs::exists(pages / (*at)[1].str())) << name << ": " << at->str();
      }
    }
  }
  for (const auto& entry : fs::recursive_directory_iterator(source / "include")) {
    const std::string name = fs::relative(entry.path(), source / "include").string();
    if (entry.is_directory() || name.starts_with("mallard/detail/")) continue;
    EXPECT_NE(references.find("## " + name + '\n'), std::string::npos) << name;
  }
  for (const char* const contract :
       {"### monotonic_resource\n", "void* mallard_realloc", "### test_resource\n"}) {
    EXPECT_NE(references.find(contract), std::string::npos) << contract;
  }
  EXPECT_EQ(references.find("### chunk_stack"), std::string::npos) << "of detail";
}

TEST(documentation, figures_quoted_elsewhere_are_those_of_the_results) {
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

TEST(documentation, figures_are_found_in_text) {
  EXPECT_EQ(figures_in("it takes 1.9 ns, with malloc\n34.7 ns (2.5), not 2^14 or v1.2."),
            (std::vector<std::string>{"1.9", "34.7", "2.5"}));
}

TEST(documentation, the_readme_links_every_document) {
  const std::string readme = read(source / "README.md");
  for (const auto& entry : fs::directory_iterator(source / "docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::string link = "(docs/" + entry.path().filename().string() + ")";
    EXPECT_NE(readme.find(link), std::string::npos) << link;
  }
}

}  // namespace
