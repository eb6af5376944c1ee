// Declares a command's words on the command line. Only command_parser.cpp knows the library that
// reads them: its header takes longer to compile than a command does.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mallard::cli {

// The options of a command, for man pages and shells.
struct described_option {
  std::vector<std::string> names;  // "-o", "--output"; of a positional, "TRACE"
  std::string value;               // as the help calls it, "TEXT" or "MALLOC"; empty: it is a flag
  std::string help;
  bool positional = false;
  std::vector<std::string> words = {};  // if it takes only these, else empty
};
struct described_command {
  std::string name;  // "bench density"; empty: the program itself
  std::string help;
  std::vector<described_option> options;
  std::vector<std::string> commands;  // below it
};

// An option that was added.
class parser_option {
 public:
  explicit parser_option(CLI::Option* added) : added_(added) {}

  parser_option required() const;
  parser_option within(int low, int high) const;
  parser_option within(double low, double high) const;
  parser_option excludes(const parser_option& other) const;
  parser_option separated_by(char delimiter) const;
  // The help's name for the value, by which shells complete it: "MALLOC", "STRATEGY".
  parser_option takes(const std::string& name) const;
  // For a vector: takes one word each time the option is given.
  parser_option one_at_a_time() const;

 private:
  CLI::Option* added_;
};

// The program or one of its commands: a handle that is copied at will.
class command_parser {
 public:
  using action = std::function<int()>;  // gives the exit status

  struct command_line {
    action chosen;
    std::vector<std::string> program;  // the words of the program to run, if any
  };

  command_parser(CLI::App* parser, command_line* line)
      : parser_(parser), line_(line), files_(std::make_shared<std::vector<new_file>>()) {}

  // A command of this one.
  command_parser add_command(const std::string& name, const std::string& help) const;
  // One of its commands has to be given.
  void require_command() const;
  // The first word that is no option is another program's, and so is all that follows, even "--".
  void end_options_at_words() const;

  // Names as "-o,--output", or "TRACE" for what has no dashes. What is given goes into `value`,
  // which lives until the action ran: a string, a path, a number, an optional or a vector. Words
  // after "--" are taken as they are, byte for byte.
  template <class Value>
  parser_option add_option(const std::string& names, Value& value, const std::string& help) const;
  parser_option add_flag(const std::string& names, bool& value, const std::string& help) const;
  // One of these words, each with the value that it stands for. The help names all, and the one
  // whose value is there already as the default.
  template <class Value>
  parser_option add_choice(
      const std::string& names, Value& value,
      const std::vector<std::pair<std::string, std::type_identity_t<Value>>>& choices,
      const std::string& help) const {
    std::vector<std::string> words;
    std::string usual;
    for (const auto& [word, its_value] : choices) {
      words.push_back(word);
      if (its_value == value) usual = word;
    }
    return add_words(names, words, usual, help,
                     [&value, choices](std::size_t chosen) { value = choices[chosen].second; });
  }
  parser_option add_choice(const std::string& names, std::string& value,
                           const std::vector<std::string>& words, const std::string& help) const {
    return add_words(names, words, value, help,
                     [&value, words](std::size_t chosen) { value = words[chosen]; });
  }
  // A file that the command writes. One that is there already is replaced with --force alone, but a
  // page of ours also where `value`, as it is now, is the name because no other is given.
  template <class Value>
  parser_option add_new_file(const std::string& names, Value& value, const std::string& help) const;

  // The program and all its commands, in the order in which they were added. To be asked when all
  // were.
  std::vector<described_command> describe() const;

  // Sets the action that runs when the command is chosen.
  void runs(action what) const;

 private:
  parser_option add_words(const std::string& names, const std::vector<std::string>& words,
                          const std::string& usual, const std::string& help,
                          std::function<void(std::size_t)> chosen) const;

  // A file that the command writes; `name` is for when all words are parsed.
  struct new_file {
    CLI::Option* option;
    std::function<std::filesystem::path()> name;
  };

  void refuse_input() const;
  static void refuse_to_share(const std::vector<new_file>& files);

  CLI::App* parser_;
  command_line* line_;
  std::shared_ptr<std::vector<new_file>> files_;
};

// The action of the command that the command line chooses among those that `declare` adds; where it
// asks for help or the version, these are printed. Throws usage_error, one line.
command_parser::action parse_command_line(int argc, const char* const* argv,
                                          const std::string& summary, const std::string& version,
                                          const std::function<void(command_parser)>& declare);

}  // namespace mallard::cli
