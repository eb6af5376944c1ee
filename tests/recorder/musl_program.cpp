// Succeeds where nothing is preloaded, as a program of musl's C library does, and has its arguments
// and the rest of its environment.
#include <cstdlib>

int main(int argc, char**) {
  if (std::getenv("LD_PRELOAD") != nullptr) return 127;
  return argc == 1 && std::getenv("PATH") != nullptr ? 0 : 1;
}
