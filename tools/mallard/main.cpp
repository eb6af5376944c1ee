// The mallard command.
#include "cli/cli.hpp"

int main(int argc, char** argv) {
  return mallard::cli::run(argc, argv);
}
