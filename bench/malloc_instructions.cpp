// Purpose: counts the instructions of malloc and free under callgrind, exactly.
//
//   LD_PRELOAD=libother.so valgrind --tool=callgrind --collect-atstart=no
//     --callgrind-out-file=FILE mallard_malloc_instructions
// writes one FILE.n for each operation, whose trigger is "NAME calls N collections N".
// bench/malloc_instructions.sh makes a table of them. Each call is collected by itself, its
// arguments, the call and the return included; "nothing" is what remains to be taken off.
#include <valgrind/callgrind.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

namespace {

constexpr int calls = 1000;
// Calls that come before those that are counted.
constexpr int warm_ups = 300;

void use(void* block) {
  asm volatile("" : : "r"(block) : "memory");
}

template <class Operation>
[[gnu::always_inline]] inline auto counted(Operation operation) {
  CALLGRIND_TOGGLE_COLLECT;
  auto result = operation();
  use(&result);
  CALLGRIND_TOGGLE_COLLECT;
  return result;
}

// For operations that return nothing.
constexpr int done = 0;

void drop_counts() {
  CALLGRIND_ZERO_STATS;
}

// `collections`: how often collecting was switched on and off for these calls.
void report(const char* name, int number, int collections) {
  char text[80];
  std::snprintf(text, sizeof text, "%s calls %d collections %d", name, number, collections);
  CALLGRIND_DUMP_STATS_AT(text);
}

// One at a time: the block that is freed is the one that the next call gets.
template <class Acquire, class Release>
void hot_pair(const char* acquire_name, const char* release_name, Acquire acquire,
              Release release) {
  for (int i = 0; i < warm_ups; ++i) release(acquire());
  drop_counts();
  for (int i = 0; i < calls; ++i) release(counted(acquire));
  report(acquire_name, calls, calls);
  for (int i = 0; i < calls; ++i) {
    void* block = acquire();
    use(block);
    counted([&] {
      release(block);
      return done;
    });
  }
  report(release_name, calls, calls);
}

// Many at a time, freed in the order in which they were allocated.
template <std::size_t Bytes>
void batch(const char* malloc_name, const char* free_name) {
  constexpr int size = 256;
  static std::array<void*, size> live;
  const auto fill = [] {
    for (void*& one : live) use(one = std::malloc(Bytes));
    return done;
  };
  const auto drop = [] {
    for (void* one : live) std::free(one);
    return done;
  };
  for (int i = 0; i < 3; ++i) fill(), drop();
  drop_counts();
  counted(fill);
  report(malloc_name, size, 1);
  counted(drop);
  report(free_name, size, 1);
}

// Allocated here, freed in a thread that allocated once, and then allocated here again.
void remote() {
  constexpr int size = 4096;
  static std::array<void*, size> live;
  const auto fill = [] {
    for (void*& one : live) use(one = std::malloc(64));
    return done;
  };
  const auto drop = [] {
    for (void* one : live) std::free(one);
    return done;
  };
  const auto drop_elsewhere = [&](bool count) {
    std::thread([&] {
      void* own = std::malloc(64);
      use(own);
      std::free(own);
      drop_counts();
      if (count) {
        counted(drop);
        report("remote_free(64)_of_4096", size, 1);
      } else {
        drop();
      }
    }).join();
  };
  fill();
  drop_elsewhere(false);
  fill();
  drop_elsewhere(true);
  drop_counts();
  counted(fill);
  report("malloc(64)_after_remote", size, 1);
}

// Very many at a time, freed in an order of their own, and as many allocated after that.
void batch_in_random_order() {
  constexpr int size = 100'000;
  static std::array<void*, size> live;
  std::uint64_t state = 1;
  const auto fill = [] {
    for (void*& one : live) use(one = std::malloc(64));
    return done;
  };
  const auto drop = [] {
    for (void* one : live) std::free(one);
    return done;
  };
  const auto shuffle = [&] {
    for (std::size_t i = size - 1; i > 0; --i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      std::swap(live[i], live[(state >> 33) % (i + 1)]);
    }
  };
  fill(), shuffle(), drop(), fill(), shuffle();
  drop_counts();
  counted(drop);
  report("100000_x_free(64)_random", size, 1);
  counted(fill);
  report("100000_x_malloc(64)_again", size, 1);
  shuffle(), drop();
}

// The price a thread pays for others that were there at once and have ended, each with a block left
// in use: for blocks of a class that is empty here.
void after_ended_threads(const char* name, std::size_t threads) {
  constexpr int size = 2048;
  static std::array<void*, size> live;
  static std::array<void*, 400> left;
  static std::array<std::thread, 400> owners;
  std::atomic<std::size_t> ready{0};
  for (std::size_t t = 0; t < threads; ++t) {
    owners[t] = std::thread([&, t] {
      for (int n = 0; n < 64; ++n) {
        void* own = std::malloc(700);
        use(own);
        std::free(own);
      }
      use(left[t] = std::malloc(700));
      ready.fetch_add(1);
      while (ready != threads) std::this_thread::yield();
    });
  }
  for (std::size_t t = 0; t < threads; ++t) owners[t].join();
  const auto fill = [] {
    for (void*& one : live) use(one = std::malloc(256));
    return done;
  };
  drop_counts();
  counted(fill);
  report(name, size, 1);
  for (void* one : live) std::free(one);
  for (std::size_t t = 0; t < threads; ++t) std::free(left[t]);
}

// Blocks of many threads by turns, freed by one that is none of them; of threads that live, and of
// such as have ended.
void remote_by_turns(const char* name, bool ended) {
  constexpr int threads = 16;
  constexpr int each = 256;
  static std::array<std::array<void*, threads>, each> live;
  std::atomic<int> ready{0};
  std::atomic<bool> stop{false};
  const auto allocate = [&](int t) {
    for (auto& row : live) use(row[static_cast<std::size_t>(t)] = std::malloc(48));
    ready.fetch_add(1);
    if (ended) return;
    while (!stop) std::this_thread::yield();
  };
  std::array<std::thread, threads> owners;
  // One after the other, so that each has a heap of its own.
  for (int t = 0; t < threads; ++t) {
    owners[static_cast<std::size_t>(t)] = std::thread(allocate, t);
    while (ready != t + 1) std::this_thread::yield();
  }
  if (ended) {
    for (std::thread& one : owners) one.join();
  }
  drop_counts();
  counted([] {
    for (auto& row : live) {
      for (void* one : row) std::free(one);
    }
    return done;
  });
  report(name, threads * each, 1);
  stop = true;
  if (!ended) {
    for (std::thread& one : owners) one.join();
  }
}

template <std::size_t Bytes>
void* allocate() {
  return std::malloc(Bytes);
}

void resized(const char* name, std::size_t from, std::size_t to) {
  for (int i = 0; i < warm_ups; ++i) std::free(std::realloc(std::malloc(from), to));
  drop_counts();
  for (int i = 0; i < calls; ++i) {
    void* block = std::malloc(from);
    use(block);
    std::free(counted([&] { return std::realloc(block, to); }));
  }
  report(name, calls, calls);
}

}  // namespace

int main() {
  for (int i = 0; i < warm_ups; ++i) counted([] { return done; });
  drop_counts();
  for (int i = 0; i < calls; ++i) counted([] { return done; });
  report("nothing", calls, calls);

  hot_pair("malloc(64)", "free(64)", allocate<64>, std::free);
  hot_pair(
      "new(64)", "sized_delete(64)", [] { return ::operator new(64); },
      [](void* block) { ::operator delete(block, std::size_t{64}); });
  hot_pair("malloc(1000)", "free(1000)", allocate<1000>, std::free);
  hot_pair("malloc(2000)", "free(2000)", allocate<2000>, std::free);
  hot_pair("malloc(32K)", "free(32K)", allocate<32768>, std::free);
  hot_pair("malloc(200K)", "free(200K)", allocate<204800>, std::free);
  hot_pair("calloc(64)", "free(calloc(64))", [] { return std::calloc(1, 64); }, std::free);
  hot_pair(
      "aligned_alloc(64,128)", "free(aligned(64,128))", [] { return std::aligned_alloc(64, 128); },
      std::free);
  void* block = std::malloc(64);
  for (int i = 0; i < warm_ups; ++i) use(block = std::realloc(block, i % 2 ? 64 : 60));
  drop_counts();
  for (int i = 0; i < calls; ++i) {
    counted([&] { return block = std::realloc(block, i % 2 ? 64 : 60); });
  }
  report("realloc(64,60)", calls, calls);
  std::free(block);
  resized("realloc(72,80)", 72, 80);
  resized("realloc(64,200)", 64, 200);
  batch<64>("256_x_malloc(64)", "256_x_free(64)");
  batch<400>("256_x_malloc(400)", "256_x_free(400)");
  batch_in_random_order();
  remote();
  remote_by_turns("free(48)_of_16_threads", false);
  remote_by_turns("free(48)_of_16_ended", true);
  after_ended_threads("malloc(256)_after_0_ended", 0);
  after_ended_threads("malloc(256)_after_400_ended", 400);
}
