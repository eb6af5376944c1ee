// mallard man and mallard completion
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/manual.hpp"
#include "lab/measuring/build.hpp"

namespace mallard::cli {

void add_manual_commands(command_parser app) {
  app.add_command("man", "Print the man page: mallard man | man -l -").runs([app] {
    fmt::print("{}", manual_page(app.describe(), lab::mallard_version()));
    return success;
  });
  const command_parser completion =
      app.add_command("completion", "Print what completes commands and options in a shell");
  const auto shell = std::make_shared<std::string>();
  completion.add_option("SHELL", *shell, "bash, zsh or fish").required();
  completion.runs([app, shell] {
    fmt::print("{}", completion_for(*shell, app.describe()));
    return success;
  });
}

}  // namespace mallard::cli
