#include "cli/cli.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/usage_error.hpp"
#include "lab/measuring/build.hpp"
#include "process/process.hpp"
#include "profile/shell_word.hpp"

namespace mallard::cli {
namespace {

// Returns the words to type for the same run, without the path of the executable.
std::string command_line(int argc, const char* const* argv) {
  std::string line = "mallard";
  for (int i = 1; i < argc; ++i) {
    line += ' ' + profile::shell_word(argv[i]);
  }
  return line;
}

// Below `ulimit -f` a write then fails instead of ending the process. A handler, not SIG_IGN: the
// programs that we start do not inherit it.
void give_errors_for_large_files() {
  struct sigaction action{};
  sigaction(SIGXFSZ, nullptr, &action);
  if (action.sa_handler != SIG_DFL) return;
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &action, nullptr);
}

// One line, whatever the exception's text looks like.
int complain(std::string text, int status) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::fputs(fmt::format("mallard: {}\n", text).c_str(), stderr);  // which may be full, too
  return status;
}

// Flushes the output: a full disk may show only now. Why an earlier part found no room is not known
// any more, but another byte finds none either.
int finish_output(int status) {
  const bool is_flushed = std::fflush(stdout) == 0;
  if (is_flushed && std::ferror(stdout) == 0) return status;
  const std::string says = "cannot write to standard output";
  if (is_flushed && write(STDOUT_FILENO, "\n", 1) == 1) return complain(says, failure);
  return complain(says + ": " + std::generic_category().message(errno), failure);
}

}  // namespace

int run(int argc, const char* const* argv) {
  give_errors_for_large_files();
  context shared;
  shared.command_line = command_line(argc, argv);
  shared.has_dashes = std::any_of(argv, argv + argc,
                                  [](const char* word) { return std::string_view(word) == "--"; });
  try {
    const command_parser::action chosen = parse_command_line(
        argc, argv, "Measures what a local memory allocator would gain, and helps to choose one.",
        fmt::format("mallard {}", lab::mallard_version()), [&](command_parser app) {
          app.add_choice("--color", shared.colour,
                         {{"auto", colour_choice::automatic},
                          {"always", colour_choice::always},
                          {"never", colour_choice::never}},
                         "Colours on the screen");
          add_advise_command(app, shared);
          add_bench_command(app, shared);
          add_show_command(app, shared);
          add_compare_command(app);
          add_claims_command(app, shared);
          add_report_command(app);
          add_export_command(app);
          add_doctor_command(app, shared);
          add_record_command(app);
          add_control_command(app);
          add_whatif_command(app, shared);
          add_live_command(app, shared);
          add_dims_command(app, shared);
          add_top_command(app, shared);
          add_diff_command(app, shared);
          add_check_command(app, shared);
          add_replay_command(app, shared);
          add_import_command(app, shared);
          add_cut_command(app);
          add_manual_commands(app);
        });
    return finish_output(chosen());
  } catch (const usage_error& problem) {
    return complain(problem.what(), bad_usage);
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory" + process::memory_limits(), failure);
  } catch (const std::exception& problem) {
    if (std::ferror(stdout) != 0) return finish_output(failure);  // fmt does not say which file
    return complain(problem.what(), failure);
  }
}

}  // namespace mallard::cli
