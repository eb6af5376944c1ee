// The man page and what completes in shells say all that the command takes.
#include <set>
#include <sstream>

#include "cli/command_fixture.hpp"
#include "support/commands.hpp"

namespace {

using namespace mallard;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class manual_test : public command_test {
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

TEST_F(manual_test, each_option_of_each_command_is_in_the_page_and_in_the_completions) {
  const std::string page = without_backslashes(output_of({"man"}));
  const std::string markdown = output_of({"man", "--markdown"});
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
      EXPECT_THAT(markdown, HasSubstr('`' + option)) << command.back();
      EXPECT_THAT(bash, HasSubstr(option)) << command.back();
      EXPECT_THAT(zsh, HasSubstr("'" + option + ":")) << command.back();
      const std::string name = option.substr(option.find_first_not_of('-'));
      EXPECT_THAT(fish, AnyOf(HasSubstr(" -l " + name), HasSubstr(" -s " + name)))
          << command.back();
    }
  }
}

TEST_F(manual_test, the_page_has_nothing_that_groff_warns_of) {
  if (!mallard_test::is_installed("groff")) GTEST_SKIP() << "there is no groff";
  std::ofstream(file("page")) << output_of({"man"});
  const std::string page = file("page").string();
  const std::string call =
      "groff -man -ww -z -rLL=80n '" + page + "' >'" + page + ".warnings' 2>&1";
  EXPECT_EQ(std::system(call.c_str()), 0) << call;
  EXPECT_EQ(read_file(page + ".warnings"), "");
}

// A line completed by a shell. The shell finds the command as a user's does.
class completion_test : public manual_test {
 protected:
  // The text that a script in the shell's language writes into the file `completed`, its lines
  // joined.
  std::string completed_by(const std::string& shell, const std::string& script) {
    std::ofstream(file("mallard." + shell)) << output_of({"completion", shell});
    std::ofstream(file("script")) << script << '\n';
    const std::string call = "cd '" + file("").string() + "' && PATH='" +
                             fs::path(MALLARD_COMMAND).parent_path().string() + "':$PATH " + shell +
                             " ./script >completed 2>&1";
    EXPECT_EQ(std::system(call.c_str()), 0) << call;
    std::istringstream lines(read_file(file("completed")));
    std::string out;
    for (std::string word; std::getline(lines, word);) {
      out += (out.empty() ? "" : " ") + word.substr(0, word.find('\t'));
    }
    return out;
  }
  // The completion of a line's words, as bash cuts it.
  std::string by_bash(const std::string& line) {
    return completed_by("bash", "source ./mallard.bash; compopt() { :; }; COMP_WORDS=(" + line +
                                    "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _mallard; "
                                    "printf '%s\\n' \"${COMPREPLY[@]}\"");
  }
  std::string by_fish(const std::string& line) {
    return completed_by("fish", "source mallard.fish; complete -C '" + line + "'");
  }
  // The builtins of zsh's completion are there only while a line is edited: these stand for them.
  std::string by_zsh(const std::string& line) {
    return completed_by(
        "zsh",
        "compdef() { }; _describe() { print -l -- ${(P)@[-1]%%:*} }; _files() { print -l $@[2] }\n"
        "compset() { typeset -g PREFIX=${words[CURRENT]##$~2} }\n"
        "compadd() { local one; for one in ${(P)@[-1]}; do "
        "[[ $one == ${PREFIX}* ]] && print $one; done }\n"
        "source ./mallard.zsh; words=(" +
            line + "); CURRENT=$#words; _mallard_of; true");
  }
};

TEST_F(completion_test, bash_completes_commands_and_options_but_not_the_programs_words) {
  EXPECT_EQ(by_bash("mallard adv"), "advise");
  EXPECT_EQ(by_bash("mallard bench densi"), "density");
  EXPECT_EQ(by_bash("mallard advise --loa"), "--load");
  EXPECT_EQ(by_bash("mallard --color never top --ro"), "--rows");
  EXPECT_EQ(by_bash("mallard record -- --he"), "");
}

TEST_F(completion_test, bash_completes_traces_mallocs_strategies_and_resources) {
  for (const char* name : {"first.trace", "notes.txt"}) std::ofstream(file(name));
  EXPECT_EQ(by_bash("mallard dims ''"), "first.trace");
  EXPECT_EQ(by_bash("mallard diff other.trace fir"), "first.trace");
  EXPECT_EQ(by_bash("mallard replay --mallocs gl"), "glibc");
  EXPECT_EQ(by_bash("mallard replay --mallocs = mallard,gl"), "mallard,glibc");
  EXPECT_EQ(by_bash("mallard whatif --malloc gl"), "glibc");
  EXPECT_EQ(by_bash("mallard bench churn --allocators gl"), "glibc");
  EXPECT_EQ(by_bash("mallard bench density --strategies AS1,AS14"), "AS1,AS14");
  EXPECT_EQ(by_bash("mallard replay --peers st"), "std");
  EXPECT_EQ(by_bash("mallard whatif --route parse = multi"), "multipool multipool-on-monotonic");
  EXPECT_EQ(by_bash("mallard top --sort pe"), "peak");
  EXPECT_EQ(by_bash("mallard dims --by = na"), "namespace");
  EXPECT_EQ(by_bash("mallard completion f"), "fish");
  EXPECT_EQ(by_bash("mallard help adv"), "advise");
  EXPECT_EQ(by_bash("mallard help bench d"), by_bash("mallard bench d"));
  EXPECT_EQ(by_bash("mallard help bench doct"), "");
}

TEST_F(completion_test, fish_does_the_same) {
  if (!mallard_test::is_installed("fish")) GTEST_SKIP() << "there is no fish";
  std::ofstream(file("first.trace"));
  EXPECT_EQ(by_fish("mallard adv"), "advise");
  EXPECT_EQ(by_fish("mallard bench densi"), "density");
  EXPECT_EQ(by_fish("mallard advise --loa"), "--load");
  EXPECT_EQ(by_fish("mallard dims fir"), "first.trace");
  EXPECT_EQ(by_fish("mallard replay --mallocs gl"), "glibc");
  EXPECT_EQ(by_fish("mallard replay --mallocs=mallard,gl"), "--mallocs=mallard,glibc");
  EXPECT_EQ(by_fish("mallard bench density --strategies AS1,AS14"), "AS1,AS14");
  EXPECT_EQ(by_fish("mallard whatif --route parse=multi"),
            "parse=multipool parse=multipool-on-monotonic");
  EXPECT_EQ(by_fish("mallard top --sort pe"), "peak");
  EXPECT_EQ(by_fish("mallard top first.trace --so"), "--sort");
  EXPECT_EQ(by_fish("mallard diff first.trace first.trace --for"), "--force --format");
  EXPECT_EQ(by_fish("mallard --color never bench densi"), "density");
  EXPECT_EQ(by_fish("mallard record -- --he"), "");
  EXPECT_EQ(by_fish("mallard completion f"), "fish");
  EXPECT_EQ(by_fish("mallard help adv"), "advise");
  EXPECT_EQ(by_fish("mallard help bench densi"), "density");
  EXPECT_EQ(by_fish("mallard help bench doct"), "");
}

TEST_F(completion_test, zsh_does_the_same) {
  if (!mallard_test::is_installed("zsh")) GTEST_SKIP() << "there is no zsh";
  EXPECT_THAT(by_zsh("mallard adv"), HasSubstr("advise"));
  EXPECT_THAT(by_zsh("mallard bench densi"), HasSubstr("density"));
  EXPECT_THAT(by_zsh("mallard advise --loa"), HasSubstr("--load"));
  EXPECT_THAT(by_zsh("mallard dims fir"), HasSubstr("*.trace"));
  EXPECT_EQ(by_zsh("mallard replay --mallocs gl"), "glibc");
  EXPECT_EQ(by_zsh("mallard replay --mallocs=mallard,gl"), "glibc");
  EXPECT_EQ(by_zsh("mallard bench density --strategies AS1,AS14"), "AS14");
  EXPECT_EQ(by_zsh("mallard whatif --route parse=multi"), "multipool multipool-on-monotonic");
  EXPECT_EQ(by_zsh("mallard top --sort pe"), "peak");
  EXPECT_EQ(by_zsh("mallard dims --by=na"), "namespace");
  EXPECT_THAT(by_zsh("mallard completion f"), HasSubstr("fish"));
  EXPECT_THAT(by_zsh("mallard help adv"), HasSubstr("advise"));
  EXPECT_THAT(by_zsh("mallard help bench densi"), HasSubstr("density"));
  EXPECT_THAT(by_zsh("mallard help bench doct"), Not(HasSubstr("doctor")));
}

TEST_F(manual_test, a_shell_that_is_not_known_is_refused) {
  expect_refused({"completion", "csh"}, 2, "known: bash, zsh, fish");
  expect_refused({"completion"}, 2, "known: bash, zsh, fish");
  expect_refused({"completion", "--names", "TREE"}, 2, "known: MALLOC, STRATEGY, PEER, RESOURCE");
}

}  // namespace
