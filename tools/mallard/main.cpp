// The mallard command.
#include <fcntl.h>
#include <unistd.h>

#include "cli/cli.hpp"
#include "lab/measuring/executed.hpp"

namespace {

// So that no file of ours becomes what messages are written to. A program that we run finds these
// closed, as it would without us. An output that is closed cannot be written to.
void fill_closed_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    const int way = stream == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    (void)open("/dev/null", way | O_CLOEXEC);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // First of all: a process that measures a malloc has nothing to do with the command line.
  if (mallard::lab::is_measuring_process(argc, argv))
    return mallard::lab::serve_measuring_process();
  fill_closed_standard_streams();
  return mallard::cli::run(argc, argv);
}
