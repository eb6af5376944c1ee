// A program whose heap is profiled, and that counts itself: what it allocates in each of a few
// functions, and what of that lives at the end, is on its standard output.
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#ifdef MALLARD_LINKED
#include "mallard/malloc/malloc.h"
#include "mallard/malloc/malloc_scope.hpp"
#endif

// To be found by its name.
#ifdef __clang__
#define FUNCTION extern "C" [[gnu::noinline]]
#else
#define FUNCTION extern "C" [[gnu::noipa]]
#endif

namespace {

constexpr std::size_t most_blocks = 1'000'000;
void* blocks[most_blocks];

template <class T>
T* seen(T* p) {
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}

volatile std::sig_atomic_t own_signals = -1;  // below 0: no handler of its own

// Comes after what the malloc does at the end, where that is linked.
[[gnu::destructor(101)]] void raise_last() {
  if (own_signals < 0) return;
  std::raise(SIGUSR2);
  if (own_signals != 1) _exit(1);
}

void expect(bool is_right, const char* what) {
  if (is_right) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

}  // namespace

FUNCTION void* keep_small(std::size_t i) {
  return seen(std::malloc(64 + i % 64));
}
FUNCTION void* keep_large(std::size_t) {
  return seen(std::malloc(400'000));
}
FUNCTION void* keep_array(std::size_t i) {
  return seen(std::calloc(i % 10 + 1, 1000));
}
FUNCTION void* keep_object(std::size_t) {
  return seen(::operator new(2000));
}
FUNCTION void* churn_in_thread(void*) {
  for (int i = 0; i < 200'000; ++i) std::free(seen(std::malloc(200)));
  return nullptr;
}

FUNCTION void* allocate_few(void*) {
  for (int turn = 0; turn < 4; ++turn) {
    for (std::size_t i = 0; i < 16; ++i) std::free(seen(std::malloc(i * 64 + 1)));
  }
  return nullptr;
}

namespace {

void write_truth(const char* function, std::size_t allocated, std::size_t live) {
  std::printf("%s %zu %zu\n", function, allocated, live);
}

// Every other one of them lives.
template <class Allocate, class Bytes>
void keep_half(const char* function, std::size_t count, Allocate allocate, Bytes bytes) {
  for (std::size_t i = 0; i < count; ++i) blocks[i] = allocate(i);
  std::size_t all = 0;
  std::size_t live = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all += bytes(i);
    if (i % 2 == 0) {
      live += bytes(i);
    } else {
      std::free(blocks[i]);
    }
  }
  write_truth(function, all, live);
}

void count_itself() {
  keep_half("keep_small", 400'000, keep_small, [](std::size_t i) { return 64 + i % 64; });
  keep_half("keep_large", 200, keep_large, [](std::size_t) { return std::size_t{400'000}; });
  keep_half("keep_array", 10'000, keep_array, [](std::size_t i) { return (i % 10 + 1) * 1000; });
  keep_half("keep_object", 20'000, keep_object, [](std::size_t) { return std::size_t{2000}; });
  pthread_t threads[2];
  for (pthread_t& one : threads) pthread_create(&one, nullptr, churn_in_thread, nullptr);
  for (pthread_t& one : threads) pthread_join(one, nullptr);
  write_truth("churn_in_thread", 2 * 200'000 * 200, 0);
  for (int i = 0; i < 2000; ++i) {
    pthread_create(&threads[0], nullptr, allocate_few, nullptr);
    pthread_join(threads[0], nullptr);
  }
  write_truth("allocate_few", std::size_t{2000} * 4 * (16 * 15 / 2 * 64 + 16), 0);
}

bool is_zero(const unsigned char* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (p[i] != 0) return false;
  }
  return true;
}

// Each kind of call, of each size, and everything is freed again.
void call_all() {
  for (const std::size_t bytes : std::initializer_list<std::size_t>{
           0, 1, 24, 100, 4096, 40'000, 300'000, 3'000'000, 20'000'000}) {
    auto* p = static_cast<unsigned char*>(seen(std::malloc(bytes)));
    expect(p != nullptr && malloc_usable_size(p) >= bytes, "usable size");
    std::memset(p, 7, bytes);
    p = static_cast<unsigned char*>(seen(std::realloc(p, bytes * 2 + 1)));
    expect(bytes == 0 || (p[0] == 7 && p[bytes - 1] == 7), "realloc to more");
    p = static_cast<unsigned char*>(seen(std::realloc(p, bytes / 2 + 1)));
    expect(bytes == 0 || (p[0] == 7 && p[bytes / 2] == 7), "realloc to less");
    std::free(p);
    p = static_cast<unsigned char*>(seen(std::calloc(1, bytes)));
    expect(is_zero(p, bytes), "calloc");
    std::memset(p, 7, bytes);
    std::free(p);
    for (const std::size_t alignment : std::initializer_list<std::size_t>{16, 64, 4096, 65'536}) {
      p = static_cast<unsigned char*>(seen(aligned_alloc(alignment, bytes)));
      expect(reinterpret_cast<std::size_t>(p) % alignment == 0, "aligned_alloc");
      std::free(p);
      void* const q = seen(::operator new(bytes, std::align_val_t{alignment}));
      expect(reinterpret_cast<std::size_t>(q) % alignment == 0, "operator new");
      ::operator delete(q, bytes, std::align_val_t{alignment});
    }
    ::operator delete(seen(::operator new(bytes)), bytes);
    pthread_t other;
    void* const sent = seen(std::malloc(bytes));
    pthread_create(
        &other, nullptr,
        [](void* block) -> void* {
          std::free(block);
          return nullptr;
        },
        sent);
    pthread_join(other, nullptr);
  }
}

// The thread is to come to write the profile.
void keep_large_on_small_stack() {
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, std::size_t{20} << 10);
  pthread_t thread;
  const auto keep = [](void*) -> void* {
    for (std::size_t i = 0; i < 100; ++i) keep_large(i);
    return nullptr;
  };
  expect(pthread_create(&thread, &how, keep, nullptr) == 0, "a thread");
  pthread_join(thread, nullptr);
}

// Raises the signal on a stack of so many bytes. Returns how many are as they were, with those
// below it.
std::size_t untouched_after(int signal, std::size_t stack_bytes) {
  constexpr std::size_t below_bytes = 65'536;
  std::vector<unsigned char> memory(below_bytes + stack_bytes, 0x5a);
  const stack_t stack{memory.data() + below_bytes, 0, stack_bytes};
  expect(sigaltstack(&stack, nullptr) == 0, "a stack for signals");
  std::raise(signal);
  const stack_t none{nullptr, SS_DISABLE, 0};
  sigaltstack(&none, nullptr);
  std::size_t untouched = 0;
  while (untouched != memory.size() && memory[untouched] == 0x5a) ++untouched;
  expect(untouched >= below_bytes, "what is below the stack");
  return untouched - below_bytes;
}

// There is little room beside what the system needs.
void raise_on_small_stack() {
  struct sigaction small{};
  small.sa_handler = [](int) {};
  small.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &small, nullptr);
  constexpr std::size_t roomy = 60'000;
  const std::size_t of_system = roomy - untouched_after(SIGUSR1, roomy);
  for (int i = 0; i < 100; ++i) std::free(keep_large(0));
  untouched_after(SIGUSR2, of_system + 1000);
  for (int i = 0; i < 100; ++i) std::free(keep_large(0));
}

void raise_while_modules_come_and_go(const char* module) {
  static const char* name;
  static volatile bool stop = false;
  name = module;
  pthread_t loader;
  const auto load = [](void*) -> void* {
    while (!stop) {
      void* const one = dlopen(name, RTLD_NOW);
      expect(one != nullptr, "a module");
      dlclose(one);
    }
    return nullptr;
  };
  pthread_create(&loader, nullptr, load, nullptr);
  for (int i = 0; i < 1500; ++i) {
    std::raise(SIGUSR2);
    std::free(seen(std::malloc(300'000)));
  }
  stop = true;
  pthread_join(loader, nullptr);
}

#ifdef MALLARD_LINKED
void use_heaps() {
  mallard_heap* const heap = mallard_heap_create();
  for (const std::size_t bytes :
       std::initializer_list<std::size_t>{10, 5000, 300'000, 10'000'000}) {
    void* const one = mallard_heap_allocate(heap, bytes, 0);
    expect(mallard_heap_owns(heap, one) == 1, "a heap's block");
    std::free(one);
    mallard_heap_allocate(heap, bytes, 64);
    {
      const mallard::malloc_scope scope(heap);
      expect(mallard_heap_owns(heap, seen(std::malloc(bytes))) == 1, "a scope's block");
    }
  }
  mallard_heap_destroy(heap);
  void* survivor = nullptr;
  {
    mallard::malloc_scope scope;
    survivor = seen(std::malloc(100));
    std::free(seen(std::malloc(100)));
    expect(scope.end() == 1, "a survivor");
  }
  std::free(survivor);
}

// The rest of the memory is left to nobody, or free, but kept by the malloc.
void write_where_memory_is_used_up(const char* path) {
  expect(mallard_profile_begin(std::size_t{64} << 10) == 0, "begin");
  std::vector<void*> freed_later(100'000);
  for (void*& p : freed_later) p = seen(std::malloc(200));
  std::FILE* const sizes = std::fopen("/proc/self/statm", "r");
  std::size_t pages = 0;
  expect(sizes != nullptr && std::fscanf(sizes, "%zu", &pages) == 1, "the size of the process");
  std::fclose(sizes);
  const rlimit most{pages * static_cast<std::size_t>(getpagesize()) + (std::size_t{8} << 20),
                    RLIM_INFINITY};
  expect(setrlimit(RLIMIT_AS, &most) == 0, "a limit");
  for (const std::size_t bytes : {100'000u, 4096u, 16u}) {
    while (seen(std::malloc(bytes)) != nullptr) {
    }
  }
  expect(mallard_profile_write(path) == 0, "written where nothing is left");
  while (seen(std::malloc(4096)) != nullptr) {
  }
  for (void* const p : freed_later) std::free(p);
  expect(mallard_profile_write(path) == 0, "written where much is free");
}

int begin_and_end(const char* path) {
  expect(mallard_profile_write(path) == EINVAL, "none was begun");
  keep_half("keep_object", 20'000, keep_object, [](std::size_t) { return std::size_t{2000}; });
  expect(mallard_profile_begin(std::size_t{16} << 10) == 0, "begin");
  keep_half("keep_small", 400'000, keep_small, [](std::size_t i) { return 64 + i % 64; });
  mallard_profile_end();
  for (std::size_t i = 0; i < 100'000; ++i) seen(keep_array(i));
  expect(mallard_profile_write("/there/is/no/such/folder") == ENOENT, "a wrong path");
  expect(mallard_profile_write(path) == 0, "write");
  return 0;
}
#endif

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "count";
  if (what == "count") count_itself();
  if (what == "all") call_all();
  if (what == "own-handler") {
    own_signals = 0;
    std::signal(SIGUSR2, [](int) { own_signals = own_signals + 1; });
    return 0;
  }
  if (what == "signal") {
    struct sigaction now{};
    sigaction(SIGUSR2, nullptr, &now);
    expect((now.sa_flags & SA_ONSTACK) != 0, "a handler that leaves the stack for signals alone");
    keep_half("keep_object", 20'000, keep_object, [](std::size_t) { return std::size_t{2000}; });
    std::fflush(stdout);
    std::raise(SIGUSR2);
    _exit(0);
  }
  if (what == "grow") {
    for (std::size_t i = 0; i < 100; ++i) keep_large(i);
    _exit(0);
  }
  if (what == "grow-on-small-stack") {
    keep_large_on_small_stack();
    _exit(0);
  }
  if (what == "small-stack") {
    raise_on_small_stack();
    std::fflush(stdout);
    _exit(0);
  }
  if (what == "modules") {
    raise_while_modules_come_and_go(arguments[2]);
    _exit(0);
  }
  if (what == "fork") {
    keep_half("keep_object", 20'000, keep_object, [](std::size_t) { return std::size_t{2000}; });
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      keep_half("keep_small", 400'000, keep_small, [](std::size_t i) { return 64 + i % 64; });
      std::exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    _exit(status == 0 ? 0 : 1);
  }
#ifdef MALLARD_LINKED
  if (what == "heaps") use_heaps();
  if (what == "exhausted") write_where_memory_is_used_up(arguments[2]);
  if (what == "calls") return begin_and_end(arguments[2]);
#endif
  return 0;
}
