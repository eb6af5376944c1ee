// Sentences begin with their subject: a reader is not to wait for it behind "What" or "Of".
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path prose_root = MALLARD_SOURCE_DIR;

bool begins_badly(std::string_view text) {
  constexpr std::array<std::string_view, 4> words = {"What ", "Of ", "Who ", "Which "};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.starts_with(word); });
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? std::string_view() : text.substr(first);
}

// The first lines of comments that begin so.
std::vector<std::string> bad_comments(std::istream& in) {
  std::vector<std::string> found;
  std::string line;
  bool inside = false;
  while (std::getline(in, line)) {
    const std::string_view text = without_spaces(line);
    const bool is_comment = text.starts_with("//");
    if (is_comment && !inside) {
      const std::string_view said = without_spaces(text.substr(text.starts_with("///") ? 3 : 2));
      if (begins_badly(said)) found.emplace_back(text);
    }
    inside = is_comment;
  }
  return found;
}

// Sentences of a page's text that begin so; questions may.
std::vector<std::string> bad_sentences(std::istream& in) {
  std::string text, line;
  bool is_code = false;
  while (std::getline(in, line)) {
    if (line.starts_with("```")) is_code = !is_code;
    if (is_code || line.starts_with("```")) continue;
    std::string_view said = without_spaces(line);
    const bool is_item = said.starts_with("- ") || said.starts_with("* ");
    if (is_item) said = without_spaces(said.substr(2));
    const bool is_new = is_item || said.empty() || said.starts_with('#') || said.starts_with('|');
    text += is_new ? "\n" : " ";
    text += said;
    if (said.starts_with('#')) text += '\n';
  }
  std::vector<std::string> found;
  std::istringstream paragraphs(text);
  while (std::getline(paragraphs, line)) {
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find_first_of(".?!", at), line.size());
      const std::string_view sentence =
          without_spaces(std::string_view(line).substr(at, end - at + 1));
      if (begins_badly(sentence) && !sentence.ends_with('?')) found.emplace_back(sentence);
      // Only a blank behind it makes it an end.
      at = end + 1;
      while (at < line.size() && line[at] != ' ') {
        at = std::min(line.find_first_of(".?!", at), line.size()) + 1;
      }
    }
  }
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& one : lines) out += "  " + one + '\n';
  return out;
}

TEST(prose, comments_begin_with_their_subject) {
  for (const char* folder : {"src", "include", "tests", "bench", "examples", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(prose_root / folder)) {
      const fs::path& file = entry.path();
      if (file.extension() != ".hpp" && file.extension() != ".cpp") continue;
      std::ifstream in(file);
      const std::vector<std::string> found = bad_comments(in);
      EXPECT_TRUE(found.empty()) << file << ":\n" << joined(found);
    }
  }
}

TEST(prose, sentences_of_the_documents_begin_with_their_subject) {
  std::vector<fs::path> pages = {prose_root / "README.md", prose_root / "CHANGELOG.md"};
  for (const auto& entry : fs::directory_iterator(prose_root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  for (const fs::path& page : pages) {
    std::ifstream in(page);
    const std::vector<std::string> found = bad_sentences(in);
    EXPECT_TRUE(found.empty()) << page << ":\n" << joined(found);
  }
}

TEST(prose, such_beginnings_are_found_where_a_comment_or_a_sentence_begins) {
  std::istringstream code(
      "int x;\n// Of a thing.\n// What follows is its second line.\n  //What\n");
  EXPECT_EQ(bad_comments(code).size(), 1u);
  std::istringstream page(
      "# What is it?\nIt is 1.5 long. What\nfollows is wrong. What is right?\n- Of a list.\n"
      "```\nWhat code says\n```\n| Which table |\n");
  EXPECT_EQ(bad_sentences(page),
            (std::vector<std::string>{"What follows is wrong.", "Of a list."}));
}

}  // namespace
