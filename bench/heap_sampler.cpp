// The heap's share of a program's time, measured on the program as it is: mallard_heap_sampler
// COMMAND
#include <cstdio>
#include <exception>

#include "whatif/heap_sampler.hpp"

int main(int count, char** words) try {
  if (count < 2) return 2;
  mallard::whatif::program_runner runner({words + 1, words + count});
  mallard::whatif::heap_sampler sampler;
  sampler.go_on(runner, {});
  const auto share = sampler.share();
  if (!share) return 1;
  std::printf("%.3f %.3f %.3f\n", share->share, share->low, share->high);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 1;
}
