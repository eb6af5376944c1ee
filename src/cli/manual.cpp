#include "cli/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mallard::cli {
namespace {

// Text in which nothing is roff's.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '|') {
      out += "|\\:";  // a line may end between choices
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

// Text of one cell in which nothing is Markdown's but code in backquotes.
std::string markdown(std::string_view text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') code = !code;
    if (!code && std::string_view("\\*_<>[]").find(c) != std::string_view::npos) out += '\\';
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Code in one cell.
std::string in_cell(const std::string& code) {
  std::string out;
  for (const char c : code) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

// Inside '...' of a shell.
std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out;
}

std::string dashed(std::string name) {
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
}

std::string options_text(const described_command& one) {
  std::string out;
  for (const described_option& each : one.options) {
    out +=
        fmt::format(".TP\n.B {}{}\n{}\n", roff(fmt::format("{}", fmt::join(each.names, ", "))),
                    each.value.empty() ? "" : " \\fI" + roff(each.value) + "\\fR", roff(each.help));
  }
  return out;
}

std::vector<std::string> option_names(const described_command& one) {
  std::vector<std::string> out;
  for (const described_option& each : one.options) {
    if (!each.positional) out.insert(out.end(), each.names.begin(), each.names.end());
  }
  return out;
}

// Returns the program's own entry, which has the options of all commands.
const described_command& program_of(const std::vector<described_command>& all) {
  return all.front();
}

// The ways in which a shell completes a value.
enum class completed_by { words, names, files };

struct completed_option {
  const described_option* option;
  completed_by how;
  std::string names;  // what `mallard completion --names` is asked for, or the words
};

std::string words_of(const described_option& one) {
  return fmt::format("{}", fmt::join(one.words, " "));
}

// The words that stand where an option could, of a positional of few.
std::string words_in_place(const described_command& one) {
  std::string out;
  for (const described_option& each : one.options) {
    if (each.positional && !each.words.empty()) out += words_of(each);
  }
  return out;
}

// The options of a command that take a value; a value that is called A=B is completed behind the =.
std::vector<completed_option> options_with_values(const described_command& one) {
  std::vector<completed_option> out;
  for (const described_option& each : one.options) {
    if (each.positional || each.value.empty()) continue;
    const std::string name = each.value.substr(each.value.find('=') + 1);
    const bool has_names =
        name == "MALLOC" || name == "STRATEGY" || name == "PEER" || name == "RESOURCE";
    if (!each.words.empty()) {
      out.push_back({&each, completed_by::words, words_of(each)});
    } else {
      out.push_back({&each, has_names ? completed_by::names : completed_by::files, name});
    }
  }
  return out;
}

bool takes_trace(const described_command& one) {
  return std::any_of(one.options.begin(), one.options.end(), [](const described_option& each) {
    const std::string& name = each.names.front();
    return each.positional && (name == "TRACE" || name == "BEFORE" || name == "RESULT");
  });
}

// Names of benches are commands. The line is read from its begin, so that the words of another
// program, behind --, are completed as its own.
std::string for_bash(const std::vector<described_command>& all) {
  std::string out = R"sh(_mallard_words() {
  COMPREPLY=($(compgen -W "$*" -- "${word##*=}"))
}
_mallard_names() {
  local before=${word%"${word##*[,=]}"}
  COMPREPLY=($(compgen -P "$before" -W "$("${COMP_WORDS[0]}" completion --names "$1" 2>/dev/null)" -- "${word#"$before"}"))
}
_mallard() {
  local word command='' words='' traces='' i at
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -- ]]; then
      compopt -o default
      return
    fi
    [[ $word == -* ]] || case "$command:$word" in
)sh";
  for (const described_command& one : all) {
    if (one.name.empty()) continue;
    const std::size_t last = one.name.rfind(' ');
    const std::string above = last == std::string::npos ? "" : one.name.substr(0, last);
    out += fmt::format("      '{}:{}') command='{}' ;;\n", above,
                       last == std::string::npos ? one.name : one.name.substr(last + 1), one.name);
  }
  // bash makes a word of each = of its own.
  out += R"sh(    esac
  done
  word=${COMP_WORDS[COMP_CWORD]}
  for ((at = COMP_CWORD - 1; at > 1; --at)); do
    [[ ${COMP_WORDS[at]} == -* ]] && break
  done
  [[ $at == $((COMP_CWORD - 1)) || ${COMP_WORDS[COMP_CWORD-1]} == = || $word == = ]] || at=0
  [[ $word != = ]] || word=''
  case "$command ${COMP_WORDS[at]}" in
)sh";
  for (const described_command& one : all) {
    for (const completed_option& each : options_with_values(one)) {
      std::vector<std::string> patterns;
      for (const std::string& name : each.option->names) {
        patterns.push_back(fmt::format("'{} {}'", one.name, name));
      }
      out += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"),
                         each.how == completed_by::names   ? "_mallard_names " + each.names
                         : each.how == completed_by::words ? "_mallard_words " + each.names
                                                           : "compopt -o default");
    }
  }
  out += "  esac\n  case $command in\n";
  for (const described_command& one : all) {
    std::vector<std::string> words = one.commands;
    words.push_back(words_in_place(one));
    for (const std::string& each : option_names(one)) words.push_back(each);
    if (!one.name.empty()) words.emplace_back("--color");
    out += fmt::format("    '{}') words='{}'{} ;;\n", one.name, fmt::join(words, " "),
                       takes_trace(one) ? " traces=1" : "");
  }
  return out + R"sh(  esac
  if [[ -n $traces && $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -X '!*.trace' -- "$word"; compgen -d -S / -- "$word")
  else
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
  [[ $word == -* || ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default
}
complete -F _mallard mallard
)sh";
}

std::string for_zsh(const std::vector<described_command>& all) {
  std::string out = R"sh(#compdef mallard
_mallard_words() {
  compset -P '*='
  local -a names=($@)
  compadd -a names
}
_mallard_names() {
  compset -P '*[,=]'
  local -a names
  names=(${(f)"$($words[1] completion --names $1 2>/dev/null)"})
  compadd -a names
}
)sh";
  for (const described_command& one : all) {
    out += fmt::format("_mallard{}{}() {{\n  local -a commands options\n",
                       one.name.empty() ? "" : "_", dashed(one.name));
    const std::vector<completed_option> with_values = options_with_values(one);
    if (!with_values.empty()) {
      out +=
          "  local option=${words[CURRENT-1]}\n"
          "  [[ $words[CURRENT] == --*=* ]] && option=${words[CURRENT]%%=*}\n  case $option in\n";
      for (const completed_option& each : with_values) {
        out += fmt::format("    {}) {}; return ;;\n", fmt::join(each.option->names, "|"),
                           each.how == completed_by::names   ? "_mallard_names " + each.names
                           : each.how == completed_by::words ? "_mallard_words " + each.names
                                                             : "_files");
      }
      out += "  esac\n";
    }
    for (const std::string& each : one.commands) {
      const std::string full = one.name.empty() ? each : one.name + ' ' + each;
      for (const described_command& other : all) {
        if (other.name == full)
          out += fmt::format("  commands+=('{}:{}')\n", each, in_quotes(other.help));
      }
    }
    for (const described_option& each : one.options) {
      if (each.positional) continue;
      for (const std::string& name : each.names) {
        out += fmt::format("  options+=('{}:{}')\n", name, in_quotes(each.help));
      }
    }
    out += "  _describe -o 'option' options\n";
    if (const std::string words = words_in_place(one); !words.empty()) {
      out += fmt::format("  _mallard_words {}\n", words);
    }
    if (!one.commands.empty()) out += "  _describe 'command' commands\n";
    out += takes_trace(one) ? "  _files -g '*.trace' || _files\n}\n" : "  _files\n}\n";
  }
  return out + R"sh(_mallard_of() {
  local word name=_mallard
  local -i end=${words[(i)--]}
  if (( end < CURRENT )); then
    shift end words
    (( CURRENT -= end ))
    _normal
    return
  fi
  for word in ${words[2,CURRENT-1]}; do
    (( $+functions[${name}_$word] )) && name=${name}_$word
  done
  $name
}
compdef _mallard_of mallard
[[ $funcstack[1] != _mallard ]] || _mallard_of
)sh";
}

std::string for_fish(const std::vector<described_command>& all) {
  std::string global;  // options with a value of their own
  for (const completed_option& each : options_with_values(program_of(all))) {
    for (const std::string& name : each.option->names) global += ' ' + name;
  }
  std::string out = R"sh(function __mallard_words
  set -l words (commandline -opc)[2..-1]
  while set -q words[1]; and string match -q -- '-*' $words[1]
    contains -- $words[1])sh" +
                    global + R"sh(; and set -e words[1]
    set -e words[1]
  end
  string join \n -- $words
end
function __mallard_command
  set -l words (__mallard_words)
  contains -- -- $words; and return 1
  set -l named $words[1..(count $argv)]
  test "$named" = "$argv"
end
function __mallard_group
  __mallard_command $argv; or return 1
  set -l behind (__mallard_words)
  set -e behind[1..(count $argv)]
  not string match -qv -- '-*' $behind
end
function __mallard_none
  test (count (__mallard_words)) -eq 0
end
function __mallard_names
  set -l before (string match -r '.*[,=]' -- (commandline -ct | string replace -r '^--[^=]*=' ''))
  set -l words (commandline -opc)
  printf "$before%s\n" ($words[1] completion --names $argv 2>/dev/null)
end
)sh";
  for (const described_command& one : all) {
    const std::string when =
        one.name.empty()
            ? "__mallard_none"
            : fmt::format("__mallard_{} {}", one.commands.empty() ? "command" : "group", one.name);
    for (const std::string& each : one.commands) {
      const std::string full = one.name.empty() ? each : one.name + ' ' + each;
      for (const described_command& other : all) {
        if (other.name != full) continue;
        out += fmt::format("complete -c mallard -n '{}' -a '{}' -d '{}'\n", when, each,
                           in_quotes(other.help));
      }
    }
    if (takes_trace(one)) {
      out += fmt::format("complete -c mallard -n '{}' -k -a '(__fish_complete_suffix .trace)'\n",
                         when);
    }
    if (const std::string words = words_in_place(one); !words.empty()) {
      out += fmt::format("complete -c mallard -n '{}' -x -a '{}'\n", when, words);
    }
    const std::vector<completed_option> with_values = options_with_values(one);
    for (const described_option& each : one.options) {
      if (each.positional) continue;
      out += fmt::format("complete -c mallard -n '{}'", one.name.empty() ? "true" : when);
      for (const std::string& name : each.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      const auto value =
          std::find_if(with_values.begin(), with_values.end(),
                       [&](const completed_option& other) { return other.option == &each; });
      if (value != with_values.end()) {
        out += value->how == completed_by::names
                   ? fmt::format(" -x -a '(__mallard_names {})'", value->names)
               : value->how == completed_by::words ? fmt::format(" -x -a '{}'", value->names)
                                                   : " -r";
      }
      out += fmt::format(" -d '{}'\n", in_quotes(each.help));
    }
  }
  return out;
}

// All commands are also words of `mallard help`, those below others too.
void add_commands_of_help(std::vector<described_command>& all) {
  std::vector<described_command> below;
  for (described_command& one : all) {
    if (one.name == "help") {
      std::erase_if(one.options, [](const described_option& each) { return each.positional; });
      one.commands = program_of(all).commands;
      std::erase(one.commands, "help");
    } else if (!one.name.empty()) {
      below.push_back({"help " + one.name, one.help, {}, one.commands});
    }
  }
  all.insert(all.end(), below.begin(), below.end());
}

}  // namespace

std::string manual_page(const std::vector<described_command>& all, std::string_view version) {
  const described_command& program = program_of(all);
  std::string out = fmt::format(
      ".TH MALLARD 1 \"\" \"mallard {}\" \"User Commands\"\n.SH NAME\nmallard \\- {}\n"
      ".SH SYNOPSIS\n.B mallard\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...\n"
      ".SH DESCRIPTION\n{}\n.PP\n.B mallard advise \\-\\- \\fIPROGRAM\\fR\nis the place to begin.\n"
      ".SH OPTIONS\n{}",
      version, roff("measures what a local memory allocator would gain"), roff(program.help),
      options_text(program));
  for (const described_command& one : all) {
    if (one.name.empty()) continue;
    out += fmt::format(".SH \"MALLARD {}\"\n{}\n{}", roff(one.name), roff(one.help),
                       options_text(one));
  }
  return out +
         ".SH EXIT STATUS\n0 if all went well, 1 if something failed, 2 for a command line that "
         "makes no sense, 130 after an interrupt.\n"
         ".SH FILES\nThe documents (docs/advise.md and so on) are in share/doc/mallard below the "
         "prefix.\n";
}

std::string manual_markdown(const std::vector<described_command>& all) {
  std::string out = "# Commands\n";
  for (const described_command& one : all) {
    out += fmt::format("\n## mallard{}{}\n\n{}\n", one.name.empty() ? "" : " ", one.name,
                       markdown(one.help));
    if (!one.options.empty()) out += "\n| | |\n|---|---|\n";
    for (const described_option& each : one.options) {
      out += fmt::format("| `{}{}{}` | {} |\n", fmt::join(each.names, "`, `"),
                         each.value.empty() ? "" : " ", in_cell(each.value), markdown(each.help));
    }
  }
  return out;
}

std::string completion_for(std::string_view shell, std::vector<described_command> all) {
  add_commands_of_help(all);
  return shell == "bash" ? for_bash(all) : shell == "zsh" ? for_zsh(all) : for_fish(all);
}

}  // namespace mallard::cli
