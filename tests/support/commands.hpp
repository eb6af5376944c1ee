// Commands that the shell runs.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace mallard_test {

struct command_end {
  std::string text;
  int status;  // as waitpid has it
};

inline command_end run_command(const std::string& command) {
  std::FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return {"popen failed", -1};
  std::string text;
  char part[512];
  while (const std::size_t n = std::fread(part, 1, sizeof part, output)) text.append(part, n);
  return {text, pclose(output)};
}

inline bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

}  // namespace mallard_test
