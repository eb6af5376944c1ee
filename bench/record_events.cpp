// Purpose: what an event costs a program that is recorded, for record_run.sh:
//
//   mallard_record_events FRAMES THREADS
//
// Every thread allocates and frees below so many frames, in rounds of 512 operations; the least of
// all rounds is printed, in nanoseconds an operation. Run with a recorder and without one.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "measured.hpp"

namespace {

constexpr int blocks = 256;
constexpr int rounds = 4000;

// From two call sites, as programs have more than one.
[[gnu::noinline]] void one_round(void** block) {
  for (int i = 0; i < blocks; i += 2) {
    block[i] = std::malloc(64);
    block[i + 1] = std::malloc(32);
  }
  asm volatile("" ::"r"(block) : "memory");
  for (int i = 0; i < blocks; ++i) std::free(block[i]);
}

[[gnu::noinline]] void below(int frames, double& best) {
  if (frames > 1) {
    below(frames - 1, best);
    asm volatile("" ::: "memory");
    return;
  }
  void* block[blocks];
  for (int i = 0; i < rounds; ++i) {
    const double begin = mallard::bench::now(CLOCK_MONOTONIC);
    one_round(block);
    best = std::min(best, (mallard::bench::now(CLOCK_MONOTONIC) - begin) / (2 * blocks));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FRAMES THREADS\n", argv[0]);
    return 2;
  }
  const int frames = std::atoi(argv[1]);
  std::vector<double> best(static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))), 1e9);
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < best.size(); ++i)
    others.emplace_back([&, i] { below(frames, best[i]); });
  below(frames, best[0]);
  for (std::thread& one : others) one.join();
  std::printf("%.1f\n", *std::max_element(best.begin(), best.end()));
}
