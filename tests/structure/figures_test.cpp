// Figures in documents say how much of the engine has changed since they were measured. The sample
// of the engine's lines is that of bench/figures.mjs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <ranges>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "support/read_file.hpp"

namespace {

using mallard_test::read_file;

namespace fs = std::filesystem;

const fs::path top = MALLARD_SOURCE_DIR;

std::uint32_t hash_of(const std::string& line) {
  std::uint32_t value = 0x811c9dc5;
  for (const char c : line) value = (value ^ static_cast<unsigned char>(c)) * 0x01000193U;
  return value;
}

void add_lines(std::set<std::uint32_t>& sample, const fs::path& file) {
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    line = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    const std::uint32_t hash = hash_of(line);
    if (line.size() > 11 && !line.starts_with("//") && hash % 16 == 0) sample.insert(hash);
  }
}

std::set<std::uint32_t> engine_of_today() {
  static const std::regex others("^(detail/)?(malloc|memory|checks)/.*");
  std::set<std::uint32_t> sample;
  for (const char* folder :
       {"include/mallard", "src/core", "src/os", "src/pages", "src/resources"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string name = fs::relative(entry.path(), top / folder).generic_string();
      const std::string extension = entry.path().extension().string();
      if ((extension != ".hpp" && extension != ".cpp") || std::regex_match(name, others)) continue;
      add_lines(sample, entry.path());
    }
  }
  return sample;
}

struct measured_engine {
  std::string commit;
  std::string date;
  std::set<std::uint32_t> sample;
};

measured_engine engine_of_the_figures() {
  measured_engine read;
  std::istringstream lines(read_file(top / "reference/engine.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "commit") {
      words >> read.commit;
    } else if (word == "date") {
      words >> read.date;
    } else {
      do read.sample.insert(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
      while (words >> word);
    }
  }
  return read;
}

// In percent of the one that has changed more: lines that are gone, or that are new.
double change(const std::set<std::uint32_t>& before, const std::set<std::uint32_t>& after) {
  std::size_t kept = 0;
  for (const std::uint32_t line : before) kept += after.count(line);
  const std::size_t larger = std::max(before.size(), after.size());
  return 100.0 * (1 - static_cast<double>(kept) / static_cast<double>(larger));
}

TEST(figures, say_how_much_of_the_engine_has_changed_since) {
  const measured_engine then = engine_of_the_figures();
  ASSERT_GT(then.sample.size(), 100u);
  const double changed = change(then.sample, engine_of_today());
  for (const char* page : {"README.md", "docs/results.md"}) {
    static const std::regex said(
        "figures: [a-z]+ begin -->\nMeasured at ([0-9a-f]+) on ([0-9-]+); at most ([0-9]+) % of "
        "the "
        "engine's lines have changed since\\.");
    const std::string text = read_file(top / page);
    const std::sregex_iterator first(text.begin(), text.end(), said), end;
    EXPECT_NE(first, end) << page;
    for (const std::smatch& found : std::ranges::subrange(first, end)) {
      EXPECT_EQ(found[1], then.commit) << page;
      EXPECT_EQ(found[2], then.date) << page;
      EXPECT_LE(changed, std::stod(found[3]))
          << page << ": measure again (bench/figures.mjs), or say that more has changed";
    }
  }
}

TEST(figures, a_change_is_what_is_gone_or_new) {
  EXPECT_EQ(change({1, 2, 3, 4}, {1, 2, 3, 4}), 0);
  EXPECT_EQ(change({1, 2, 3, 4}, {1}), 75);
  EXPECT_EQ(change({1}, {1, 2, 3, 4}), 75);
}

}  // namespace
