// Purpose: runs a program under the hook of `mallard whatif`, for whatif_run.sh:
//
//   mallard_whatif_hook tables|frame-pointers PATTERN=STRATEGY COMMAND...
//
// It runs twice, the first time silently: then addresses have their names, as in runs that count.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "whatif/own_library.hpp"
#include "whatif/pattern.hpp"
#include "whatif/route_session.hpp"

namespace {

int run(char** command, const std::string& library, const std::string& session, bool silent) {
  const pid_t child = fork();
  if (child == 0) {
    if (silent) {
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
    setenv("LD_PRELOAD", library.c_str(), 1);
    setenv(mallard::route::session_kind.variable, session.c_str(), 1);
    execvp(command[0], command);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mallard::whatif;
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s tables|frame-pointers PATTERN=STRATEGY COMMAND...\n", argv[0]);
    return 2;
  }
  try {
    const std::string word = argv[2];
    const std::size_t at = word.rfind('=');
    conditions all;
    const auto rule = parse_route({word.substr(0, at), word.substr(at + 1)}, all);
    route_session session(all, std::string_view(argv[1]) == "frame-pointers");
    const std::string library = find_own_library("libmallard-route.so");
    session.prepare({}, route_session::purpose::names);
    if (const int status = run(argv + 3, library, session.path(), true)) return status;
    session.mark_addresses();
    session.prepare({rule}, route_session::purpose::counts);
    return run(argv + 3, library, session.path(), false);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
    return 2;
  }
}
