// Mistakes that guarded blocks are to find, one by its name; and with `right` none, of every kind
// of call.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <string>

// To be found by its name.
#ifdef __clang__
#define FUNCTION extern "C" [[gnu::noinline]]
#else
#define FUNCTION extern "C" [[gnu::noipa]]
#endif

FUNCTION char* allocate_it(std::size_t bytes) {
  char* p = static_cast<char*>(std::malloc(bytes));
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}
FUNCTION void free_it(void* p) {
  std::free(p);
  asm volatile("" : : : "memory");
}
FUNCTION void* resize_it(void* p, std::size_t bytes) {
  p = std::realloc(p, bytes);
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}
FUNCTION void write_it(volatile char* p) {
  *p = 1;
  asm volatile("" : : : "memory");
}
FUNCTION int read_it(volatile char* p) {
  const int value = *p;
  asm volatile("" : : : "memory");
  return value;
}

namespace {

// Others begin with their page.
char* block_that_ends_with_its_page(std::size_t bytes) {
  for (;;) {
    char* const p = allocate_it(bytes);
    if (reinterpret_cast<std::size_t>(p) % 4096 != 0) return p;
    free_it(p);
  }
}

char* block_that_begins_with_its_page(std::size_t bytes) {
  for (;;) {
    char* const p = allocate_it(bytes);
    if (reinterpret_cast<std::size_t>(p) % 4096 == 0) return p;
    free_it(p);
  }
}

int fail(const char* what) {
  std::printf("wrong: %s\n", what);
  return 1;
}

int do_right() {
  for (const std::size_t bytes :
       std::initializer_list<std::size_t>{0, 1, 24, 100, 1000, 4000, 4096, 40'000}) {
    for (int i = 0; i < 100; ++i) {
      char* p = allocate_it(bytes);
      std::memset(p, 7, malloc_usable_size(p));
      if (malloc_usable_size(p) < bytes) return fail("usable size");
      p = static_cast<char*>(std::realloc(p, bytes + 50));
      if (bytes != 0 && (p[0] != 7 || p[bytes - 1] != 7)) return fail("realloc");
      p = static_cast<char*>(std::realloc(p, bytes / 2 + 1));
      if (bytes != 0 && (p[0] != 7 || p[bytes / 2] != 7)) return fail("realloc to less");
      free_it(p);
      p = static_cast<char*>(std::calloc(1, bytes + 1));
      for (std::size_t at = 0; at <= bytes; ++at) {
        if (p[at] != 0) return fail("calloc");
      }
      free_it(p);
      p = static_cast<char*>(aligned_alloc(256, bytes));
      if (reinterpret_cast<std::size_t>(p) % 256 != 0) return fail("alignment");
      pthread_t other;
      pthread_create(
          &other, nullptr,
          [](void* block) -> void* {
            free_it(block);
            return nullptr;
          },
          p);
      pthread_join(other, nullptr);
      void* const object = ::operator new(bytes + 1);
      ::operator delete(object, bytes + 1);
    }
  }
  // More than there are slots.
  static void* many[2000];
  for (void*& p : many) p = std::memset(allocate_it(100), 1, 100);
  for (void* p : many) free_it(p);
  const pid_t child = fork();
  if (child == 0) {
    for (void*& p : many) p = allocate_it(100);
    for (void* p : many) free_it(p);
    _exit(0);
  }
  return 0;
}

sigjmp_buf back;

// A program that handles its own faults goes on doing so.
int handle_own_fault() {
  struct sigaction action{};
  action.sa_handler = [](int) { siglongjmp(back, 1); };
  sigaction(SIGSEGV, &action, nullptr);
  if (sigsetjmp(back, 1) == 0) write_it(nullptr);
  std::puts("handled");
  return 0;
}

// So does one whose handler was there before, with the signals that it wants blocked.
int handle_own_faults_of_before() {
  struct sigaction action{};
  action.sa_handler = [](int) { siglongjmp(back, 1); };
  action.sa_flags = static_cast<int>(SA_NODEFER | SA_RESETHAND);
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaction(SIGSEGV, &action, nullptr);
  using guard = int (*)(std::size_t);
  if (reinterpret_cast<guard>(dlsym(RTLD_DEFAULT, "mallard_guard"))(100) != 0) return 1;
  if (sigsetjmp(back, 0) == 0) write_it(nullptr);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  std::puts(sigismember(&blocked, SIGUSR1) && !sigismember(&blocked, SIGSEGV) ? "as asked"
                                                                              : "else");
  std::fflush(stdout);
  write_it(nullptr);
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  if (what == "right") return do_right();
  if (what == "own fault") return handle_own_fault();
  if (what == "own faults before") return handle_own_faults_of_before();
  if (what == "sent") {
    kill(getpid(), SIGSEGV);
    return 0;
  }
  if (what == "no block") write_it(reinterpret_cast<char*>(64));
  char* const p =
      what == "before" ? block_that_begins_with_its_page(96) : block_that_ends_with_its_page(96);
  if (what == "past") write_it(p + 96);
  if (what == "before") write_it(p - 1);
  if (what == "freed") {
    free_it(p);
    write_it(p + 10);
  }
  if (what == "read freed") {
    free_it(p);
    return read_it(p);
  }
  if (what == "twice") {
    free_it(p);
    free_it(p);
  }
  if (what == "resized") {
    free_it(p);
    resize_it(p, 200);
  }
  if (what == "inside") free_it(p + 16);
  if (what == "near") {
    char* const odd = block_that_ends_with_its_page(90);
    write_it(odd + 90);
    free_it(odd);
  }
  if (what == "near before") {
    write_it(p - 1);
    free_it(p);
  }
  return 0;
}
