#include "cli/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/usage_error.hpp"

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
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
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

std::string for_bash(const std::vector<described_command>& all) {
  std::string out =
      "_mallard() {\n"
      "  local word command='' words i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    if [[ $word == -- ]]; then\n"
      "      compopt -o default\n"
      "      return\n"
      "    fi\n"
      "    [[ $word == -* ]] || case \"$command:$word\" in\n";
  for (const described_command& one : all) {
    if (one.name.empty()) continue;
    const std::size_t last = one.name.rfind(' ');
    const std::string above = last == std::string::npos ? "" : one.name.substr(0, last);
    out += fmt::format("      '{}:{}') command='{}' ;;\n", above,
                       last == std::string::npos ? one.name : one.name.substr(last + 1), one.name);
  }
  out +=
      "    esac\n"
      "  done\n"
      "  case $command in\n";
  for (const described_command& one : all) {
    std::vector<std::string> words = one.commands;
    for (const std::string& each : option_names(one)) words.push_back(each);
    if (!one.name.empty()) words.emplace_back("--color");
    out += fmt::format("    '{}') words='{}' ;;\n", one.name, fmt::join(words, " "));
  }
  out +=
      "  esac\n"
      "  word=${COMP_WORDS[COMP_CWORD]}\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [[ $word == -* || ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default\n"
      "}\n"
      "complete -F _mallard mallard\n";
  return out;
}

std::string for_zsh(const std::vector<described_command>& all) {
  std::string out = "#compdef mallard\n";
  for (const described_command& one : all) {
    out += fmt::format("_mallard{}{}() {{\n  local -a commands options\n",
                       one.name.empty() ? "" : "_", dashed(one.name));
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
    if (!one.commands.empty()) out += "  _describe 'command' commands\n";
    out += "  _files\n}\n";
  }
  out +=
      "_mallard_of() {\n  local word name=_mallard\n  for word in ${words[2,CURRENT-1]}; do\n"
      "    [[ $word == -- ]] && { _normal; return }\n"
      "    (( $+functions[${name}_$word] )) && name=${name}_$word\n  done\n  $name\n}\n"
      "compdef _mallard_of mallard\n"
      "[[ $funcstack[1] != _mallard ]] || _mallard_of\n";
  return out;
}

std::string for_fish(const std::vector<described_command>& all) {
  std::string out =
      "function __mallard_command\n"
      "  set -l words (commandline -opc)\n"
      "  contains -- -- $words; and return 1\n"
      "  string match -qr -- \"^mallard( -.*)* $argv( -.*)*\\$\" \"$words\"\nend\n"
      "function __mallard_none\n"
      "  set -l words (commandline -opc)\n"
      "  test (count (string match -v -- '-*' $words)) -eq 1\nend\n";
  for (const described_command& one : all) {
    const std::string when =
        one.name.empty() ? "__mallard_none" : fmt::format("__mallard_command {}", one.name);
    for (const std::string& each : one.commands) {
      const std::string full = one.name.empty() ? each : one.name + ' ' + each;
      for (const described_command& other : all) {
        if (other.name != full) continue;
        out += fmt::format("complete -c mallard -n '{}' -a '{}' -d '{}'\n", when, each,
                           in_quotes(other.help));
      }
    }
    for (const described_option& each : one.options) {
      if (each.positional) continue;
      out += fmt::format("complete -c mallard -n '{}'", one.name.empty() ? "true" : when);
      for (const std::string& name : each.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      out += fmt::format("{} -d '{}'\n", each.value.empty() ? "" : " -r", in_quotes(each.help));
    }
  }
  return out;
}

}  // namespace

std::string manual_page(const std::vector<described_command>& all, std::string_view version) {
  const described_command& program = program_of(all);
  std::string out = fmt::format(
      ".TH MALLARD 1 \"\" \"mallard {}\" \"User Commands\"\n.SH NAME\nmallard \\- {}\n"
      ".SH SYNOPSIS\n.B mallard\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...\n"
      ".SH DESCRIPTION\n{}\n.PP\n.B mallard advise \\-\\- \\fIPROGRAM\\fR\nis where to begin.\n"
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
         "makes "
         "no sense, 130 after an interrupt.\n";
}

std::string completion_for(std::string_view shell, const std::vector<described_command>& all) {
  if (shell == "bash") return for_bash(all);
  if (shell == "zsh") return for_zsh(all);
  if (shell == "fish") return for_fish(all);
  throw usage_error(fmt::format("completion: unknown shell '{}' (known: bash, zsh, fish)", shell));
}

}  // namespace mallard::cli
