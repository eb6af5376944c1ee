// A bench is one file: nothing else in the lab, the command or the page knows one by its name.
// Claims do, since they are what documents say of benches.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "support/read_file.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::array folders = {"report/src", "src/report", "src/cli", "src/lab"};
constexpr std::array left_out = {"src/lab/benches/", "src/lab/claims/",
                                 "report/src/trace/"};  // of recordings, which have no benches

// Benches that something else is called by, too: an allocator, what is measured, a dimension.
bool is_also_something_else(std::string_view name) {
  return name == "realloc" || name == "memory" || name == "density";
}

// "expand-forward" of src/lab/benches/expand_forward.cpp.
std::vector<std::string> bench_names(const fs::path& root) {
  std::vector<std::string> names;
  for (const fs::directory_entry& one : fs::directory_iterator(root / "src/lab/benches")) {
    if (one.path().extension() != ".cpp") continue;
    std::string name = one.path().stem().string();
    std::replace(name.begin(), name.end(), '_', '-');
    names.push_back(std::move(name));
  }
  return names;
}

bool names_bench(const std::string& text, const std::string& name) {
  if (text.find(name) == text.npos) return false;
  const std::string literal = "[\"'`]" + name + "[\"'`]";
  // series.churn, bench == "churn", benches: ['churn', find_bench("churn"
  const std::string used =
      "series(\\?)?\\." + name + "\\b|(series|bench\\w*)[^\\w\"'`]{1,9}" + literal;
  const std::string key = "(^|\\n)\\s*'?" + name + "'?: [{\\[]";
  if (std::regex_search(text, std::regex(used + "|" + key))) return true;
  return !is_also_something_else(name) && std::regex_search(text, std::regex(literal));
}

TEST(bench_names, nothing_but_its_own_file_and_claims_knows_a_bench) {
  const fs::path root = MALLARD_SOURCE_DIR;
  const auto names = bench_names(root);
  ASSERT_GT(names.size(), 15U);
  std::size_t looked_at = 0;
  for (const char* folder : folders) {
    for (const fs::directory_entry& one : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(one.path(), root).generic_string();
      const auto starts = [&](std::string_view prefix) { return path.starts_with(prefix); };
      if (!one.is_regular_file() || std::any_of(left_out.begin(), left_out.end(), starts)) continue;
      ++looked_at;
      const std::string text = mallard_test::read_file(one.path());
      for (const std::string& name : names) {
        EXPECT_FALSE(names_bench(text, name)) << path << " knows the bench " << name;
      }
    }
  }
  EXPECT_GT(looked_at, 150U);
}

TEST(bench_names, ways_to_know_one_are_found) {
  for (const char* text :
       {"if (bench == \"churn\")", "series.churn", "series?.churn", "benches: ['churn', 'thrash']",
        "const cards = {\n  churn: [{ title: 'Churn' }]", "find_bench(\"churn\")",
        "['churn', 1]"}) {
    EXPECT_TRUE(names_bench(text, "churn")) << text;
  }
  EXPECT_TRUE(names_bench("cell.bench == \"memory\"", "memory"));
  EXPECT_TRUE(names_bench("'false-sharing'", "false-sharing"));
}

TEST(bench_names, words_that_are_no_names_are_none) {
  EXPECT_FALSE(names_bench("// Churn: blocks replaced at random", "churn"));
  EXPECT_FALSE(names_bench("'churning'", "churn"));
  EXPECT_FALSE(names_bench("asm volatile(\"\" : : : \"memory\")", "memory"));
  EXPECT_FALSE(names_bench("column{\"realloc\", \"global\"}", "realloc"));
}

}  // namespace
