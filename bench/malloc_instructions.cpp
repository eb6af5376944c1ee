// Purpose: counts the instructions of malloc and free under callgrind, exactly.
//
//   LD_PRELOAD=libother.so valgrind --tool=callgrind --collect-atstart=no
//     --callgrind-out-file=FILE mallard_malloc_instructions
// writes one FILE.n for each operation, whose trigger is "NAME calls N collections N".
// bench/malloc_instructions.sh makes a table of them. Each call is collected by itself, its
// arguments, the call and the return included; "nothing" is what remains to be taken off.
#include <valgrind/callgrind.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

constexpr int calls = 1000;
// What comes before the calls that are counted.
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

template <std::size_t Bytes>
void* allocate() {
  return std::malloc(Bytes);
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
  batch<64>("256_x_malloc(64)", "256_x_free(64)");
  batch<400>("256_x_malloc(400)", "256_x_free(400)");
  remote();
}
