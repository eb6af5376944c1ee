#include "cli/command_parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/output_file.hpp"
#include "cli/usage_error.hpp"
#include "profile/nearest_names.hpp"
#include "profile/record/program_check.hpp"
#include "report/page.hpp"

namespace mallard::cli {
namespace {

// Another program's words reach it byte for byte. CLI11 takes a word in brackets for a list and
// drops a "--", so these words are marked before it sees them, and lose the mark behind it.
constexpr char of_program = '\1';

std::string unmarked(std::string word) {
  if (!word.empty() && word.front() == of_program) word.erase(0, 1);
  return word;
}

std::string expect_a_word(const std::string& word) {
  return word.empty() ? "is empty" : "";
}

std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

template <class Value>
std::filesystem::path name_of(const Value& value) {
  if constexpr (std::is_same_v<Value, std::optional<std::string>>) {
    return value.value_or("");
  } else {
    return value;
  }
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto named =
      app.get_subcommands([&](const CLI::App* one) { return one->check_name(name); });
  return named.empty() ? nullptr : named.front();
}

// Whether the word after this one is the option's value, or that of the last of several letters.
bool takes_next_word(const CLI::App& command, const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  const auto takes_value = [&](const std::string& name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr && command.get_parent() != nullptr) {
      option = command.get_parent()->get_option_no_throw(name);
    }
    return option != nullptr && option->get_items_expected_min() > 0;
  };
  if (word.starts_with("--")) return takes_value(word);
  std::size_t letter = 1;  // what follows one with a value is the value
  while (letter + 1 < word.size() && !takes_value(std::string{'-', word[letter]})) ++letter;
  return letter + 1 == word.size() && takes_value(std::string{'-', word[letter]});
}

// Those after the first "--", and where a program needs no "--", its name and all that follows.
std::vector<std::string> mark_program(std::vector<std::string>& words, const CLI::App& app) {
  const CLI::App* command = &app;
  auto word = words.begin();
  for (; word != words.end() && *word != "--"; ++word) {
    if (word->size() > 1 && word->front() == '-') {
      if (takes_next_word(*command, *word) && word + 1 != words.end()) ++word;
    } else if (command->get_positionals_at_end()) {
      break;
    } else if (const CLI::App* const named = find_command(*command, *word)) {
      command = named;
    }
  }
  if (word != words.end() && *word == "--") ++word;
  std::vector<std::string> program(word, words.end());
  for (; word != words.end(); ++word) word->insert(word->begin(), of_program);
  return program;
}

// ": did you mean ...?" where there is such a command or option.
std::string nearest(const std::string& word, const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  std::set<std::string> names;
  if (word.starts_with('-')) {
    for (const CLI::App* at = chosen; at != nullptr; at = at->get_parent()) {
      for (const CLI::Option* const one : at->get_options()) {
        for (const std::string& name : one->get_lnames()) names.insert("--" + name);
      }
    }
  } else {
    for (const CLI::App* const one : all_commands(*chosen)) names.insert(one->get_name());
  }
  const std::vector<std::string> near = profile::nearest_names(word, names, 1);
  return near.empty() ? "" : fmt::format(": did you mean '{}'?", near.front());
}

// CLI11 says "A subcommand is required" or that an option is missing even where an unknown one was
// given.
std::string describe(const CLI::ParseError& problem, const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining(true);
  const auto option = std::find_if(unknown.begin(), unknown.end(), [](const std::string& word) {
    return word.starts_with('-') && word != "--";
  });
  if (option != unknown.end()) {
    const std::string name = option->substr(0, option->find('='));
    return fmt::format("unknown option '{}'{}", name, nearest(name, app));
  }
  if (problem.get_name() == "RequiredError" && !unknown.empty() && unknown.front() != "--") {
    return fmt::format("unknown command '{}'{}", unknown.front(), nearest(unknown.front(), app));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr && !unknown.empty()) {
    return fmt::format("there is no place for '{}'", unknown.front());
  }
  std::string text = problem.what();
  std::erase(text, of_program);
  // Only numbers are converted.
  constexpr std::string_view not_converted = "Could not convert: ", is = " = ";
  const std::size_t at = text.find(is);
  if (text.starts_with(not_converted) && at != text.npos) {
    return fmt::format("{} takes a number, not '{}'",
                       text.substr(not_converted.size(), at - not_converted.size()),
                       text.substr(at + is.size()));
  }
  return text;
}

described_option describe(const CLI::Option& one) {
  described_option out;
  out.positional = one.get_positional();
  if (out.positional) out.names.push_back(one.get_name(true));
  for (const std::string& name : one.get_snames()) out.names.push_back('-' + name);
  for (const std::string& name : one.get_lnames()) out.names.push_back("--" + name);
  if (one.get_items_expected_max() != 0) out.value = one.get_type_name();
  if (out.value.find('|') != out.value.npos) out.words = CLI::detail::split(out.value, '|');
  if (out.positional && out.words.empty()) out.value.clear();
  out.help = one.get_description();
  return out;
}

void describe(const CLI::App& app, const std::string& name, std::vector<described_command>& out) {
  described_command made{name, app.get_description(), {}, {}};
  for (const CLI::Option* const one : app.get_options()) made.options.push_back(describe(*one));
  const auto below = all_commands(app);
  for (const CLI::App* const one : below) made.commands.push_back(one->get_name());
  out.push_back(std::move(made));
  for (const CLI::App* const one : below) {
    describe(*one, name.empty() ? one->get_name() : name + ' ' + one->get_name(), out);
  }
}

// `mallard help COMMAND` is `mallard COMMAND --help`. Throws usage_error for what is no command.
void turn_help_round(const CLI::App& app, std::vector<std::string>& words) {
  if (words.empty() || words.front() != "help") return;
  words.erase(words.begin());
  const CLI::App* at = &app;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") break;
    if (word.starts_with("--color=")) continue;
    if (word == "--color") {
      ++i;
      continue;
    }
    const CLI::App* const named = find_command(*at, word);
    if (named == nullptr) {
      const std::string near = all_commands(*at).empty() ? "" : nearest(word, *at);
      throw usage_error(fmt::format("unknown command '{}'{} (see --help)", word, near));
    }
    at = named;
  }
  words.emplace_back("--help");
}

// The help says ranges where they are worth it.
template <class Number>
CLI::Range silent_range(Number low, Number high) {
  CLI::Range range(low, high);
  range.description("");
  return range;
}

}  // namespace

parser_option parser_option::required() const {
  added_->required();
  return *this;
}

parser_option parser_option::within(int low, int high) const {
  added_->check(silent_range(low, high));
  return *this;
}

parser_option parser_option::within(double low, double high) const {
  added_->check(silent_range(low, high));
  return *this;
}

parser_option parser_option::excludes(const parser_option& other) const {
  added_->excludes(other.added_);
  return *this;
}

parser_option parser_option::separated_by(char delimiter) const {
  added_->delimiter(delimiter);
  return *this;
}

parser_option parser_option::takes(const std::string& name) const {
  added_->type_name(name);
  return *this;
}

parser_option parser_option::one_at_a_time() const {
  added_->allow_extra_args(false);
  return *this;
}

command_parser command_parser::add_command(const std::string& name, const std::string& help) const {
  return {parser_->add_subcommand(name, help), line_};
}

void command_parser::require_command() const {
  parser_->require_subcommand(1);
}

void command_parser::end_options_at_words() const {
  parser_->positionals_at_end();
}

template <class Value>
parser_option command_parser::add_option(const std::string& names, Value& value,
                                         const std::string& help) const {
  CLI::Option* const added = parser_->add_option(names, value, help)->transform(unmarked, "");
  // The next word after the option's value is another one: a trace, for example.
  if (!added->get_positional()) added->allow_extra_args(false);
  // A shell makes an empty word of a variable that is not set, which names no file.
  if (added->get_positional() && added->get_items_expected_max() == 1) {
    added->check(expect_a_word, "");
  }
  return parser_option(added);
}

parser_option command_parser::add_flag(const std::string& names, bool& value,
                                       const std::string& help) const {
  return parser_option(parser_->add_flag(names, value, help));
}

parser_option command_parser::add_words(const std::string& names,
                                        const std::vector<std::string>& words,
                                        const std::string& usual, const std::string& help,
                                        std::function<void(std::size_t)> chosen) const {
  const auto number_of = [words](const std::string& word) {
    return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
  };
  const auto problem_with = [words, number_of](const std::string& word) {
    if (number_of(word) < words.size()) return std::string();
    return fmt::format("unknown value '{}' (known: {})", word, fmt::join(words, ", "));
  };
  CLI::Option* const added = parser_->add_option_function<std::string>(
      names,
      [number_of, chosen = std::move(chosen)](const std::string& word) { chosen(number_of(word)); },
      usual.empty() ? help : fmt::format("{} (default: {})", help, usual));
  added->transform(unmarked, "")->check(problem_with, "");
  added->type_name(fmt::format("{}", fmt::join(words, "|")));
  return parser_option(added);
}

std::vector<described_command> command_parser::describe() const {
  const CLI::App* root = parser_;
  while (root->get_parent() != nullptr) root = root->get_parent();
  std::vector<described_command> out;
  cli::describe(*root, {}, out);
  return out;
}

template <class Value>
parser_option command_parser::add_new_file(const std::string& names, Value& value,
                                           const std::string& help) const {
  CLI::Option* const option =
      parser_->add_option(names, value, help)->transform(file_behind)->check(expect_a_word, "");
  files_->push_back({option, [&value] { return name_of(value); }});
  if (parser_->get_option_no_throw("--force") == nullptr) {
    parser_->add_flag_callback("--force", [] {}, "Replace the file if it exists");
  }
  return parser_option(option);
}

// Throws usage_error where the program, or a file that the command reads, would be written to. The
// program's own arguments are its business.
void command_parser::refuse_input() const {
  std::vector<std::filesystem::path> read = {"/dev/stdin"};
  for (const CLI::Option* const one : parser_->get_options()) {
    if (!one->get_positional()) continue;
    const std::vector<std::string>& words = one->results();
    const bool has_program = one->get_items_expected_max() > 1;
    const std::size_t of_program = has_program ? line_->program.size() : 0;
    const std::size_t files = words.size() - std::min(words.size(), of_program);
    read.insert(read.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(files));
    if (files == words.size()) continue;
    const std::string& program = line_->program.front();
    const std::string file = profile::find_program(program);
    read.emplace_back(file.empty() ? program : file);
    read.emplace_back(profile::check_program(program).file);
  }
  for (const new_file& output : *files_) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(output.name(), none)) continue;
    for (const std::filesystem::path& input : read) expect_other_file(input, output.name());
  }
}

// Throws usage_error where two would be written to one file. A device takes both.
void command_parser::refuse_to_share(const std::vector<new_file>& files) {
  namespace fs = std::filesystem;
  std::map<fs::path, const CLI::Option*> known;
  for (const new_file& one : files) {
    std::error_code ignored;
    const fs::path name = one.name();
    if (name.empty() || (fs::exists(name, ignored) && !fs::is_regular_file(name, ignored)))
      continue;
    const auto [at, is_new] =
        known.emplace(fs::weakly_canonical(fs::absolute(name, ignored), ignored), one.option);
    if (is_new) continue;
    throw usage_error(fmt::format("{}: {} and {} need a file each", name.string(),
                                  at->second->get_name(), one.option->get_name()));
  }
}

void command_parser::runs(action what) const {
  parser_->callback([*this, what = std::move(what)] {
    refuse_to_share(*files_);
    refuse_input();
    for (const new_file& one : *files_) {
      if (parser_->count("--force") != 0) break;
      const std::filesystem::path name = one.name();
      // Whoever asks for a page again without a name for it wants it in place of the last.
      if (one.option->count() != 0 || !report::is_page(name)) refuse_to_replace(name);
    }
    line_->chosen = what;
  });
}

template parser_option command_parser::add_new_file(const std::string&, std::string&,
                                                    const std::string&) const;
template parser_option command_parser::add_new_file(const std::string&, std::filesystem::path&,
                                                    const std::string&) const;
template parser_option command_parser::add_new_file(const std::string&, std::optional<std::string>&,
                                                    const std::string&) const;
#define MALLARD_TAKES(type)                                                          \
  template parser_option command_parser::add_option<type>(const std::string&, type&, \
                                                          const std::string&) const;
MALLARD_TAKES(int)
MALLARD_TAKES(unsigned)
MALLARD_TAKES(std::uint64_t)
MALLARD_TAKES(double)
MALLARD_TAKES(std::string)
MALLARD_TAKES(std::filesystem::path)
MALLARD_TAKES(std::optional<unsigned>)
MALLARD_TAKES(std::optional<std::string>)
MALLARD_TAKES(std::vector<std::string>)
MALLARD_TAKES(std::vector<std::filesystem::path>)
#undef MALLARD_TAKES

command_parser::action parse_command_line(int argc, const char* const* argv,
                                          const std::string& summary, const std::string& version,
                                          const std::function<void(command_parser)>& declare) {
  const auto app = std::make_shared<CLI::App>(summary, "mallard");
  command_parser::command_line line;
  app->set_version_flag("--version", version);
  app->fallthrough();
  const command_parser program(app.get(), &line);
  program.require_command();
  declare(program);
  std::vector<std::string> commands;
  for (const CLI::App* const one : all_commands(*app)) commands.push_back(one->get_name());
  std::string of;  // turn_help_round() has gone before
  program.add_command("help", "Print the help of a command")
      .add_choice("COMMAND", of, commands, "The command");
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    turn_help_round(*app, words);
    line.program = mark_program(words, *app);
    std::reverse(words.begin(), words.end());  // the order in which CLI11 wants them
    app->parse(std::move(words));
    return [app, chosen = line.chosen] { return chosen(); };
  } catch (const CLI::Success& asked) {  // --help, --version
    return [app, status = app->exit(asked)] { return status; };
  } catch (const CLI::ParseError& problem) {
    throw usage_error(fmt::format("{} (see --help)", describe(problem, *app)));
  }
}

}  // namespace mallard::cli
