// The man page and what completes in shells say all that the command takes.
#include <set>
#include <sstream>

#include "cli/command_fixture.hpp"

namespace {

using testing::AnyOf;
using testing::HasSubstr;

class Manual : public CommandTest {
 protected:
  // The words of the help that begin with dashes, at the beginning of a line.
  static std::set<std::string> options_in(const std::string& help) {
    std::set<std::string> out;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      if (first.starts_with('-')) {
        const std::size_t comma = first.find(',');
        out.insert(first.substr(0, comma));
        if (comma != first.npos) out.insert(first.substr(comma + 1));
      }
    }
    return out;
  }
  // And those below "Subcommands:".
  static std::vector<std::string> commands_in(const std::string& help) {
    std::vector<std::string> out;
    const std::size_t begin = help.find("Subcommands:\n");
    if (begin == help.npos) return out;
    std::istringstream lines(help.substr(begin));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.starts_with("  ")) {
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return out;
  }
  std::string output_of(const words& call) const {
    const ended result = run(call);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
};

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

TEST_F(Manual, EachOptionOfEachCommandIsInThePageAndInTheCompletions) {
  const std::string page = without_backslashes(output_of({"man"}));
  const std::string bash = output_of({"completion", "bash"});
  const std::string zsh = output_of({"completion", "zsh"});
  const std::string fish = output_of({"completion", "fish"});
  const std::vector<std::string> commands = commands_in(output_of({"--help"}));
  ASSERT_GE(commands.size(), 18u);
  std::vector<words> all;
  for (const std::string& one : commands) {
    all.push_back({one});
    for (const std::string& below : commands_in(output_of({"help", one})))
      all.push_back({one, below});
  }
  for (const words& command : all) {
    EXPECT_THAT(page, HasSubstr("MALLARD " + command.front()));
    for (const std::string& option : options_in(output_of(words{"help"} + command))) {
      EXPECT_THAT(page, HasSubstr(option)) << command.back();
      EXPECT_THAT(bash, HasSubstr(option)) << command.back();
      EXPECT_THAT(zsh, HasSubstr("'" + option + ":")) << command.back();
      const std::string name = option.substr(option.find_first_not_of('-'));
      EXPECT_THAT(fish, AnyOf(HasSubstr(" -l " + name), HasSubstr(" -s " + name)))
          << command.back();
    }
  }
}

// As bash calls it.
TEST_F(Manual, BashCompletesCommandsAndOptionsButNotTheProgramsWords) {
  std::ofstream(file("mallard.bash")) << output_of({"completion", "bash"});
  const auto completed = [&](const std::string& line) {
    const std::string script = "source mallard.bash; compopt() { :; }; COMP_WORDS=(" + line +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _mallard; "
                               "echo \"${COMPREPLY[*]}\" >completed";
    EXPECT_EQ(std::system(("cd '" + file("").string() + "' && bash -c '" + script + "'").c_str()),
              0);
    std::string words = read_file(file("completed"));
    words.pop_back();
    return words;
  };
  EXPECT_EQ(completed("mallard adv"), "advise");
  EXPECT_EQ(completed("mallard bench densi"), "density");
  EXPECT_EQ(completed("mallard advise --loa"), "--load");
  EXPECT_EQ(completed("mallard --color never top --ro"), "--rows");
  EXPECT_EQ(completed("mallard record -- --he"), "");
}

TEST_F(Manual, AShellThatIsNotKnownIsRefused) {
  expect_refused({"completion", "csh"}, 2, "known: bash, zsh, fish");
}

}  // namespace
