// A program to set options for: allocates so many MiB at once, and says whether there were.
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const std::size_t mib = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  void* const p = std::malloc(mib << 20);
  std::puts(p != nullptr ? "allocated" : "refused");
  std::free(p);
  // As many programs do at their end.
  std::fclose(stdout);
  std::fclose(stderr);
}
