// The words of a command line, and those of another program in it.
#include "cli/command_parser.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using mallard::cli::command_parser;
using mallard::cli::parse_command_line;
using words = std::vector<std::string>;

struct parsed {
  words program;
  std::string output;
  bool quiet = false;
};

// `record`'s first word that is no option begins the program; `check` has one after "--" alone.
parsed parse(const words& line) {
  parsed out;
  std::vector<const char*> argv{"mallard"};
  for (const std::string& word : line) argv.push_back(word.c_str());
  const command_parser::action chosen = parse_command_line(
      static_cast<int>(argv.size()), argv.data(), "A program.", "1", [&](command_parser app) {
        for (const char* const name : {"record", "check"}) {
          const command_parser command = app.add_command(name, "A command.");
          command.add_option("command", out.program, "The program and its arguments");
          command.add_option("-o,--output", out.output, "A file");
          command.add_flag("-q,--quiet", out.quiet, "Print nothing");
          if (std::string(name) == "record") command.end_options_at_words();
          command.runs([] { return 0; });
        }
      });
  return out;
}

words operator+(words a, const words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Any bytes but zero; brackets, commas, dashes and blanks more often than others.
words random_words(std::mt19937& random) {
  constexpr char frequent[] = "[],-= \n'\"\\%{}\1\xff";
  words out(1 + random() % 5);
  for (std::string& word : out) {
    word.resize(random() % 6);
    for (char& c : word) {
      c = random() % 2 == 0 ? frequent[random() % (sizeof frequent - 1)]
                            : static_cast<char>(1 + random() % 255);
    }
  }
  return out;
}

TEST(command_parser, a_programs_words_in_brackets_are_no_lists) {
  const words program{"jq", "[.[]|keys]", "[1,2]", "[]", "[", ""};
  EXPECT_EQ(parse(words{"record", "--"} + program).program, program);
  EXPECT_EQ(parse(words{"record"} + program).program, program);
  EXPECT_EQ(parse(words{"check", "--"} + program).program, program);
}

TEST(command_parser, words_after_dashes_arrive_byte_for_byte) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const words program = random_words(random);
    EXPECT_EQ(parse(words{"record", "--"} + program).program, program);
    EXPECT_EQ(parse(words{"check", "-q", "--"} + program).program, program);
  }
}

TEST(command_parser, a_program_without_dashes_keeps_its_own_options_and_dashes) {
  const words program{"git", "log", "-o", "--quiet", "--", "file"};
  for (const words& options : {words{}, words{"-q"}, words{"-o", "x"}, words{"--output=x"}}) {
    const parsed found = parse(words{"record"} + options + program);
    EXPECT_EQ(found.program, program);
    EXPECT_EQ(found.output,
              options.size() > 1 || (!options.empty() && options[0] != "-q") ? "x" : std::string());
  }
  EXPECT_TRUE(parse({"record", "-q", "git"}).quiet);
}

TEST(command_parser, several_letters_may_end_with_one_that_takes_the_next_word) {
  for (const words& options : {words{"-qo", "x"}, words{"-qox"}, words{"-ox", "-q"}}) {
    const parsed found = parse(words{"record"} + options + words{"git", "log"});
    EXPECT_EQ(found.program, (words{"git", "log"}));
    EXPECT_EQ(found.output, "x");
    EXPECT_TRUE(found.quiet);
  }
  EXPECT_EQ(parse({"record", "-qo", "x", "--", "git"}).program, words{"git"});
}

TEST(command_parser, an_option_before_the_program_may_have_a_value_in_brackets) {
  EXPECT_EQ(parse({"record", "-o", "[x]", "true"}).output, "[x]");
}

}  // namespace
