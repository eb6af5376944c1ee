// A program that knows the share of the heap in its processor time:
//
//   heap_share pairs|batches|zeroed|mapped SHARE [SECONDS [THREADS]]
//   heap_share pairs|batches|zeroed|mapped @ROUNDS [SECONDS [THREADS]]
//
// It does its operations in pieces, each of them once with the heap and once with functions that do
// nothing, and computes for the rest of the time. The heap's time is at least the difference of the
// two, and at most the first: a processor does a part of a call while it does what is around it.
// Both are printed, as shares of all, and how many rounds it computed for a piece. With as many
// rounds it does the same whatever the heap takes, also where it is recorded. Pieces have random
// lengths, so that no clock is in step with them.
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void compute() {
  std::uint64_t x = 88172645463325252U;
  for (int i = 0; i < 5000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  asm volatile("" ::"r"(x));
}

struct of_heap {
  static void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  static void* allocate_zeroed(std::size_t bytes) { return std::calloc(1, bytes); }
  static void free(void* block) { std::free(block); }
};

struct of_nothing {
  [[gnu::noinline]] static void* allocate(std::size_t bytes) {
    static char some[1];
    asm volatile("" ::"r"(bytes));
    return some;
  }
  static void* allocate_zeroed(std::size_t bytes) { return allocate(bytes); }
  [[gnu::noinline]] static void free(void* block) { asm volatile("" ::"r"(block)); }
};

void use(const void* block) {
  asm volatile("" ::"r"(block) : "memory");
}

// About a fifth of a millisecond each on a machine of today.
template <class Functions>
[[gnu::noinline]] void operate(std::string_view how, long pieces) {
  constexpr long blocks = 4096;
  thread_local void* all[blocks];
  if (how == "pairs") {
    for (long i = 0; i < 10000 * pieces; ++i) {
      void* const block = Functions::allocate(16 + static_cast<std::size_t>(i & 7) * 16);
      use(block);
      Functions::free(block);
    }
  } else if (how == "batches") {
    for (long piece = 0; piece < pieces; ++piece) {
      for (long i = 0; i < blocks; ++i) {
        all[i] = Functions::allocate(16 + static_cast<std::size_t>(i * 37 & 1023));
      }
      use(all);
      for (long i = 0; i < blocks; ++i) Functions::free(all[i * 2654435761 & (blocks - 1)]);
    }
  } else if (how == "zeroed") {
    for (long i = 0; i < 50 * pieces; ++i) {
      void* const block = Functions::allocate_zeroed(60000);
      use(block);
      Functions::free(block);
    }
  } else {
    for (long i = 0; i < 50 * pieces; ++i) {
      void* const block = Functions::allocate(std::size_t{40} << 20);
      use(block);
      Functions::free(block);
    }
  }
}

struct measured {
  double least = 0, most = 0, all = 0;  // seconds
  double pieces = 0, rounds = 0;
};

// `share` is 0 where the rounds of a piece are given.
measured run(std::string_view how, double share, double rounds, double seconds, unsigned seed) {
  measured out;
  std::minstd_rand random(seed);
  const double began = now();
  while (now() - began < seconds) {
    const long pieces = 1 + static_cast<long>(random() % 8);
    const double start = now();
    operate<of_heap>(how, pieces);
    const double between = now();
    operate<of_nothing>(how, pieces);
    const double end = now();
    const double with_heap = between - start;
    const double around = end - between;
    out.most += with_heap;
    out.least += with_heap - around;
    out.pieces += static_cast<double>(pieces);
    const double until = start + (share > 0 ? (with_heap - around / 2) / share : 0);
    while (share > 0 ? now() < until : out.rounds < rounds * out.pieces) {
      compute();
      ++out.rounds;
    }
  }
  out.all = now() - began;
  return out;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const double seconds = count > 3 ? std::atof(words[3]) : 1;
  const auto threads = static_cast<std::size_t>(count > 4 ? std::atoi(words[4]) : 1);
  std::vector<measured> parts(threads);
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      const bool of_rounds = *words[2] == '@';
      parts[i] =
          run(words[1], of_rounds ? 0 : std::atof(words[2]),
              of_rounds ? std::atof(words[2] + 1) : 0, seconds, static_cast<unsigned>(i) + 1);
    });
  }
  for (std::thread& one : running) one.join();
  measured all;
  for (const measured& one : parts) {
    all.least += one.least;
    all.most += one.most;
    all.all += one.all;
    all.pieces += one.pieces;
    all.rounds += one.rounds;
  }
  std::fprintf(stderr, "%.3f %.3f %.3f\n", all.least / all.all, all.most / all.all,
               all.rounds / all.pieces);
}
