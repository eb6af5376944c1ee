// Programs whose blocks are routed, each of which knows what it does and checks what it gets:
// routed_program NAME. 0: all was as it has to be.
#include <dlfcn.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "mallard/profile.hpp"

namespace {

int failures = 0;

void expect(bool fine, const char* what) {
  if (fine) return;
  ++failures;
  std::fprintf(stderr, "not so: %s\n", what);
}

// Filled, and later looked at, so that blocks that overlap are found.
void fill(void* block, std::size_t bytes, unsigned char with) {
  asm volatile("" ::"r"(block) : "memory");
  std::memset(block, with, bytes);
}
bool holds(const void* block, std::size_t bytes, unsigned char what) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (static_cast<const unsigned char*>(block)[i] != what) return false;
  }
  return true;
}

// 200 blocks of 40 bytes that live until the end of the function.
[[gnu::noinline]] void one_request(int number) {
  void* blocks[200];
  for (void*& one : blocks) {
    one = malloc(40);
    fill(one, 40, static_cast<unsigned char>(number));
  }
  for (void* one : blocks) {
    expect(holds(one, 40, static_cast<unsigned char>(number)), "a block keeps what is in it");
    free(one);
  }
}

int requests(int count = 100) {
  for (int i = 0; i < count; ++i) one_request(i);
  return failures;
}

// All of them, those that the C library keeps for itself included.
int resets_signals() {
  struct {
    void* handler;
    unsigned long flags;
    void *restorer, *mask;
  } action{};
  for (int each = 1; each <= 64; ++each) syscall(SYS_rt_sigaction, each, &action, nullptr, 8);
  for (int i = 0; i < 6000; ++i) requests(1);
  return failures;
}

int requests_in_short_threads() {
  for (int i = 0; i < 600; ++i) std::thread([] { requests(20); }).join();
  return failures;
}

// Each call leaves a block, which dies in the one after the next.
[[gnu::noinline]] void leaves_late(std::deque<void*>& left) {
  one_request(0);
  left.push_back(malloc(100));
  fill(left.back(), 100, 3);
}
int late_requests() {
  std::deque<void*> left;
  for (int i = 0; i < 3000; ++i) {
    leaves_late(left);
    free(malloc(20));
    if (left.size() <= 2) continue;
    free(left.front());
    left.pop_front();
  }
  while (!left.empty()) {
    free(left.front());
    left.pop_front();
  }
  return failures;
}

// The same, each call in a thread of its own, and its block dies many threads later.
int late_threads() {
  std::deque<void*> left;
  for (int i = 0; i < 1500; ++i) {
    std::thread([&left] { leaves_late(left); }).join();
    if (left.size() <= 40) continue;
    free(left.front());
    left.pop_front();
  }
  for (void* const one : left) free(one);
  return failures;
}

// It keeps a block from before its loop.
[[gnu::noinline]] int turns() {
  void* const kept = malloc(100);
  fill(kept, 100, 7);
  for (int i = 0; i < 100; ++i) {
    void* const first = malloc(40);  // turn begins
    fill(first, 40, static_cast<unsigned char>(i));
    void* const second = malloc(200);  // turn's last
    free(first);
    free(second);
  }
  free(kept);
  return failures;
}

// Two functions with frames alike, from which the same stacks lead on at the same addresses.
[[gnu::noinline]] void deeper(int frames, volatile int& turn) {
  if (frames > 0) {
    deeper(frames - 1, turn);
    turn = turn + 1;
    return;
  }
  void* const block = malloc(40);
  fill(block, 40, 1);
  free(block);
}
[[gnu::noinline]] void first_twin(volatile int& turn) {
  deeper(12, turn);
  turn = turn + 1;
}
[[gnu::noinline]] void second_twin(volatile int& turn) {
  deeper(12, turn);
  turn = turn + 2;
}

int twins() {
  volatile int turn = 0;
  void (*const functions[])(volatile int&) = {first_twin, second_twin};
  // Each some times in a row, so that its stack is one that was there before, and in turns.
  for (int row = 1; row <= 20; ++row) {
    for (int i = 0; i < 4 * row; ++i) functions[i / row % 2](turn);
  }
  return failures;
}

// Their stacks are more than are remembered.
struct branches {
  void* blocks[127];
  int count = 0;
};
[[gnu::noinline]] void branch(branches& all, int depth) {
  all.blocks[all.count++] = malloc(40);
  if (depth == 0) return;
  branch(all, depth - 1);
  branch(all, depth - 1);
}
[[gnu::noinline]] void tree_inside(volatile int& turn) {
  branches all;
  branch(all, 6);
  for (void* const one : all.blocks) free(one);
  turn = turn + 1;
}
[[gnu::noinline]] void tree_outside(volatile int& turn) {
  branches all;
  branch(all, 6);
  for (void* const one : all.blocks) free(one);
  turn = turn + 2;
}

int trees() {
  volatile int turn = 0;
  for (int i = 0; i < 100; ++i) {
    tree_inside(turn);
    tree_outside(turn);
    tree_inside(turn);
  }
  return failures;
}

// One block in each call lives on.
void* kept[50];
[[gnu::noinline]] void one_leaky_request(int number) {
  void* const passing = malloc(64);
  kept[number] = malloc(48);
  fill(kept[number], 48, static_cast<unsigned char>(number));
  fill(passing, 64, 0xff);
  free(passing);
}

int survivors() {
  for (int i = 0; i < 50; ++i) {
    MALLARD_SCOPE("leaky");
    one_leaky_request(i);
  }
  for (int i = 0; i < 50; ++i) {
    expect(holds(kept[i], 48, static_cast<unsigned char>(i)), "a survivor keeps what is in it");
    free(kept[i]);
  }
  return failures;
}

[[gnu::noinline]] void remember_one(int number) {
  kept[number] = malloc(48);
  fill(kept[number], 48, static_cast<unsigned char>(number));
}

[[gnu::noinline]] void handle_one(int number) {
  for (std::size_t bytes = 64; bytes < 67; ++bytes) {
    void* const passing = malloc(bytes);
    fill(passing, bytes, 0xff);
    free(passing);
  }
  remember_one(number);
  asm volatile("" ::: "memory");
}

int cached() {
  for (int i = 0; i < 50; ++i) handle_one(i);
  for (int i = 0; i < 50; ++i) {
    expect(holds(kept[i], 48, static_cast<unsigned char>(i)), "what is kept is as it was");
    free(kept[i]);
  }
  return failures;
}

int scopes() {
  for (int i = 0; i < 30; ++i) {
    MALLARD_SCOPE("request");
    one_request(i);
    {
      MALLARD_SCOPE("request");  // one inside: the outer one goes on
      one_request(i);
    }
  }
  return failures;
}

struct alignas(128) wide {
  char bytes[128];
};

[[gnu::noinline]] void every_entry(int round) {
  std::vector<std::pair<void*, std::size_t>> all;
  const auto with = static_cast<unsigned char>(round);
  const auto keep = [&](void* block, std::size_t bytes, std::size_t alignment) {
    expect(block != nullptr, "there is a block");
    expect(reinterpret_cast<std::uintptr_t>(block) % alignment == 0, "it is aligned");
    expect(malloc_usable_size(block) >= bytes, "its usable size is no less than was asked for");
    fill(block, malloc_usable_size(block), with);
    all.emplace_back(block, bytes);
  };
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100},
                                  std::size_t{5000}, std::size_t{40'000}, std::size_t{300'000}}) {
    keep(malloc(bytes), bytes, 16);
    void* const zeros = calloc(bytes, 1);
    expect(holds(zeros, bytes, 0), "calloc gives zeros");
    keep(zeros, bytes, 16);
    keep(realloc(nullptr, bytes), bytes, 16);
    keep(reallocarray(nullptr, bytes, 1), bytes, 16);
    keep(memalign(64, bytes), bytes, 64);
    keep(aligned_alloc(256, bytes), bytes, 256);
    void* block = nullptr;
    expect(posix_memalign(&block, 4096, bytes) == 0, "posix_memalign does it");
    keep(block, bytes, 4096);
    keep(memalign(1 << 16, bytes), bytes, 1 << 16);
  }
  keep(valloc(100), 100, 4096);
  keep(pvalloc(100), 4096, 4096);
  void* untouched = &failures;
  expect(posix_memalign(&untouched, 3, 10) != 0 && untouched == &failures,
         "posix_memalign refuses what is no alignment");
  for (const auto& [block, bytes] : all) {
    expect(holds(block, bytes, with), "a block keeps what is in it");
    free(block);
  }
  delete new wide;
  delete[] new wide[3];
  delete new int;
  delete[] new int[7];
  ::operator delete(::operator new(100), std::size_t{100});
  ::operator delete(::operator new(100, std::nothrow), std::nothrow);
  ::operator delete[](::operator new[](100, std::align_val_t{64}), std::align_val_t{64});
  ::operator delete(::operator new(100, std::align_val_t{64}), 100, std::align_val_t{64});
}

[[gnu::noinline]] void growing() {
  for (std::size_t step : {std::size_t{7}, std::size_t{100}, std::size_t{10'000}}) {
    unsigned char* block = nullptr;
    std::size_t bytes = 0;
    for (int i = 1; i < 100; ++i) {
      block = static_cast<unsigned char*>(realloc(block, bytes + step));
      expect(holds(block, bytes, 0x5a), "realloc keeps what is in the block");
      std::memset(block + bytes, 0x5a, step);
      bytes += step;
    }
    block = static_cast<unsigned char*>(realloc(block, 10));
    expect(holds(block, 5, 0x5a), "a smaller block keeps its beginning");
    free(block);
  }
}

// A block of each kind is made larger where the other kind is made.
[[gnu::noinline]] void* routed(void* block, std::size_t bytes) {
  void* const out = realloc(block, bytes);
  asm volatile("" ::"r"(out) : "memory");
  return out;
}
[[gnu::noinline]] void* elsewhere(void* block, std::size_t bytes) {
  void* const out = realloc(block, bytes);
  asm volatile("" ::"r"(out) : "memory");
  return out;
}
int across() {
  for (int i = 0; i < 50; ++i) {
    void* one = routed(nullptr, 100);
    void* other = elsewhere(nullptr, 100);
    fill(one, 100, 1);
    fill(other, 100, 2);
    one = elsewhere(one, 100'000);
    other = routed(other, 100'000);
    expect(holds(one, 100, 1) && holds(other, 100, 2), "realloc keeps what is in the block");
    free(routed(other, 10));
    free(elsewhere(one, 10));
    expect(routed(routed(nullptr, 10), 0) == nullptr, "realloc to nothing frees");
    expect(routed(nullptr, SIZE_MAX / 2) == nullptr, "too much is refused");
  }
  return failures;
}

// Producers and consumers: every block is freed by another thread than the one that made it.
[[gnu::noinline]] void* produce(std::size_t bytes) {
  void* const block = malloc(bytes);
  fill(block, bytes, static_cast<unsigned char>(bytes));
  return block;
}
int threads() {
  constexpr int slots = 64;
  static std::atomic<unsigned char*> passed[2][slots];
  std::vector<std::thread> all;
  std::atomic<int> wrong{0};
  for (int pair = 0; pair < 2; ++pair) {
    std::atomic<bool>* const done = new std::atomic<bool>(false);
    all.emplace_back([pair, done] {
      for (std::size_t i = 0; i < 2000; ++i) {
        auto* const block = static_cast<unsigned char*>(produce(16 + i % 200));
        while (passed[pair][i % slots].load() != nullptr) usleep(20);
        passed[pair][i % slots].store(block);
      }
      done->store(true);
    });
    all.emplace_back([pair, done, &wrong] {
      for (bool last = false; !last;) {
        last = done->load();
        for (auto& slot : passed[pair]) {
          unsigned char* const block = slot.load();
          if (block == nullptr) continue;
          if (!holds(block, block[0], block[0])) ++wrong;
          free(block);
          slot.store(nullptr);
        }
      }
      delete done;
    });
  }
  for (std::thread& one : all) one.join();
  // Many that come and go, and leave blocks behind.
  std::vector<void*> left(50);
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::thread([&left, i] {
      for (int j = 0; j < 50; ++j) free(produce(100));
      left[i] = produce(77);
    }).join();
  }
  for (void* one : left) {
    if (!holds(one, 77, 77)) ++wrong;
    free(one);
  }
  return wrong.load() + failures;
}

int forking() {
  std::vector<std::thread> others;
  std::atomic<bool> stop{false};
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      while (!stop) free(produce(60));
    });
  }
  void* const inherited = produce(99);
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      expect(holds(inherited, 99, 99), "a child has what its parent had");
      free(inherited);
      for (int j = 0; j < 500; ++j) free(produce(60));
      std::thread([] {
        for (int j = 0; j < 100; ++j) free(produce(60));
      }).join();
      _exit(failures);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) ++failures;
  }
  stop = true;
  for (std::thread& one : others) one.join();
  free(inherited);
  return failures;
}

int executing(const char* self) {
  const pid_t child = vfork();
  if (child == 0) {
    execl(self, self, "requests", nullptr);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return 1;
  execl(self, self, "requests", nullptr);
  return 2;
}

int double_free() {
  void* const block = produce(50);
  free(block);
  void* volatile again = block;
  free(again);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "requests") return requests();
  if (what == "many_requests") return requests(12000);
  if (what == "short_threads") return requests_in_short_threads();
  if (what == "late_requests") return late_requests();
  if (what == "late_threads") return late_threads();
  if (what == "turns") return turns();
  if (what == "survivors") return survivors();
  if (what == "cached") return cached();
  if (what == "scopes") return scopes();
  if (what == "twins") return twins();
  if (what == "trees") return trees();
  if (what == "trees_until") {
    for (int i = 0; i < 20'000 && access(argv[2], F_OK) != 0; ++i) trees();
    return failures;
  }
  if (what == "every_entry") {
    for (int i = 0; i < 3; ++i) every_entry(i + 1);
    growing();
    return failures;
  }
  if (what == "across") return across();
  if (what == "threads") return threads();
  if (what == "forking") return forking();
  if (what == "executing") return executing(argv[0]);
  if (what == "double_free") return double_free();
  // As no program should: it depends on which malloc it has.
  if (what == "picky") return malloc_usable_size(produce(33)) == 40 ? 0 : 5;
  // Nor this: without the hook and on another malloc, it fails from the second time on.
  if (what == "unsteady") {
    const char* const preloaded = getenv("LD_PRELOAD");
    if (preloaded != nullptr && std::strstr(preloaded, "route") == nullptr &&
        std::strstr(preloaded, "density") == nullptr) {
      std::FILE* const times = std::fopen(argv[2], "a");
      if (std::ftell(times) != 0) return 5;
      std::fputc('x', times);
      std::fclose(times);
    }
    return requests();
  }
  if (what == "flaky") {  // as it is, it fails from the second time on
    std::FILE* const times = std::fopen(argv[2], "a");
    const long before = std::ftell(times);
    std::fputc('x', times);
    std::fclose(times);
    return before == 0 || getenv("LD_PRELOAD") != nullptr ? 0 : 7;
  }
  if (what == "different") {  // each time
    std::printf("%d\n", getpid());
    free(produce(10));
    return 0;
  }
  if (what == "resets_signals") return resets_signals();
  if (what == "chatty") {
    one_request(1);
    std::printf("always the same\n");
    return 3;
  }
  return 99;
}
