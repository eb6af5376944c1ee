// The mallard command.
#include "cli/cli.hpp"
#include "lab/malloc_work/work_process.hpp"

int main(int argc, char** argv) {
  // First of all: a process that measures a malloc has nothing to do with the command line.
  if (mallard::lab::is_malloc_work(argc, argv)) return mallard::lab::serve_malloc_work();
  return mallard::cli::run(argc, argv);
}
