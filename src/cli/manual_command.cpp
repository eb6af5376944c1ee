// mallard man and mallard completion
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/manual.hpp"
#include "cli/usage_error.hpp"
#include "lab/measuring/build.hpp"
#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/measuring/strategies.hpp"
#include "whatif/pattern.hpp"

namespace mallard::cli {
namespace {

// The names that an option takes on this machine, which a shell asks for while a line is typed.
std::vector<std::string> names_of(std::string_view value) {
  std::vector<std::string> out;
  if (value == "MALLOC") {
    for (const lab::malloc_library& one : lab::find_mallocs(lab::own_program()).found) {
      out.push_back(one.name);
    }
  } else if (value == "STRATEGY") {
    for (const lab::strategy& one : lab::all_strategies()) out.emplace_back(one.name);
    out.insert(out.end(), {"sync", "mutex", "heap", "sync-heap", "adaptive"});
  } else if (value == "PEER") {
    for (const lab::peer_version& one : lab::available_peers()) out.push_back(one.name);
  } else {
    out = whatif::strategy_names();
  }
  return out;
}

}  // namespace

void add_manual_commands(command_parser app) {
  const command_parser manual =
      app.add_command("man", "Print the man page: mallard man | man -l -");
  const auto as_markdown = std::make_shared<bool>(false);
  manual.add_flag("--markdown", *as_markdown, "As a page in Markdown");
  manual.runs([app, as_markdown] {
    fmt::print("{}", *as_markdown ? manual_markdown(app.describe())
                                  : manual_page(app.describe(), lab::mallard_version()));
    return success;
  });
  const command_parser completion =
      app.add_command("completion", "Print what completes commands and options in a shell");
  const auto shell = std::make_shared<std::string>();
  const auto names = std::make_shared<std::string>();
  completion.add_choice("SHELL", *shell, {"bash", "zsh", "fish"}, "The shell");
  completion.add_choice(
      "--names", *names, {"MALLOC", "STRATEGY", "PEER", "RESOURCE"},
      "Instead of the completion, print the names of this kind that options take here");
  completion.runs([app, shell, names] {
    if (!names->empty()) {
      for (const std::string& name : names_of(*names)) fmt::print("{}\n", name);
    } else if (shell->empty()) {
      throw usage_error("completion: for which shell? (known: bash, zsh, fish)");
    } else {
      fmt::print("{}", completion_for(*shell, app.describe()));
    }
    return success;
  });
}

}  // namespace mallard::cli
