// Programs that run already when they are recorded: attached_program NAME [LIBRARY]. They say that
// they are ready, go on until SIGTERM, and end with 0 if nothing disturbed them, 3 if that alone is
// left that malloc is another function.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> over{false};
std::atomic<bool> asked{false};
std::atomic<int> failures{0};

void fail(const char* what) {
  std::fprintf(stderr, "attached_program: %s\n", what);
  ++failures;
}

void sleep_ms(long ms) {
  const timespec time{0, ms * 1'000'000};
  nanosleep(&time, nullptr);
}

struct block {
  unsigned char* at = nullptr;
  std::size_t bytes = 0;
};

void check(const block& one, unsigned char mark) {
  if (one.at[0] != mark || one.at[one.bytes - 1] != mark) fail("a block has changed");
}

// Blocks live for a while, so that many are from before the recording when they are freed.
[[gnu::noinline]] void work(unsigned char mark) {
  std::vector<block> blocks(256);
  for (unsigned i = 0; !over; ++i) {
    block& one = blocks[i % blocks.size()];
    if (one.at != nullptr) {
      check(one, mark);
      delete[] one.at;
    }
    one.bytes = 16 + i * 37 % 500;
    one.at = new unsigned char[one.bytes];
    std::memset(one.at, mark, one.bytes);
    void* more = std::malloc(40);
    more = std::realloc(more, 400);
    asm volatile("" ::"r"(more) : "memory");
    std::free(more);
    if (i % 256 == 0) sleep_ms(1);
  }
  for (const block& one : blocks) delete[] one.at;
}

// Never a moment's sleep: there are only places in the program's own code to stop it.
[[gnu::noinline]] void spin(unsigned char mark) {
  volatile std::uint64_t sum = mark;
  errno = mark;
  while (!over) {
    if (errno != mark) fail("errno was changed");
    errno = mark;
    for (int i = 0; i < 300; ++i) sum = sum * 31 + 7;
    void* const one = std::malloc(48);
    asm volatile("" ::"r"(one) : "memory");
    std::free(one);
  }
}

// A server that waits: that it was looked at is nothing that it may see.
void serve() {
  while (!over) {
    if (poll(nullptr, 0, 50) < 0 && !over) fail("poll was interrupted");
    void* const one = std::malloc(77);
    asm volatile("" ::"r"(one) : "memory");
    std::free(one);
  }
}

// The thread sleeps with return addresses on its stack that the malloc has left there.
[[gnu::noinline]] void allocate_deep(int depth) {
  char room[200];
  asm volatile("" ::"r"(room) : "memory");
  if (depth > 0) allocate_deep(depth - 1);
  for (std::size_t bytes = 16; bytes < 100'000; bytes *= 2) {
    void* const one = std::malloc(bytes);
    asm volatile("" ::"r"(one) : "memory");
    std::free(one);
  }
}
[[gnu::noinline]] void sleep_over_it() {
  char room[16384];
  asm volatile("" ::"r"(room) : "memory");
  while (!over) sleep_ms(20);
}
void sleep_deep() {
  allocate_deep(20);
  sleep_over_it();
}

// In a system call in which no server waits.
void wait_for_lock() {
  for (int i = 0; i < 2; ++i) flock(open("/proc/self/exe", O_RDONLY), LOCK_EX);
}

// Waits there for as long as another has the lock, and works after that.
void work_after_lock(const char* file) {
  flock(open(file, O_RDONLY), LOCK_EX);
  work(1);
}

// By four ways of those there are.
void start_programs() {
  char name[] = "true";
  char* words[] = {name, nullptr};
  char* nothing[] = {nullptr};
  while (!over) {
    const pid_t child = fork();
    if (child == 0) {
      execve("/bin/false", words, nothing);
      _exit(1);
    }
    const pid_t listed = fork();
    if (listed == 0) {
      execl("/usr/bin/test", name, static_cast<char*>(nullptr));
      _exit(1);
    }
    const pid_t open_file = fork();
    if (open_file == 0) {
      fexecve(open("/usr/bin/printenv", O_RDONLY | O_CLOEXEC), words, nothing);
      _exit(1);
    }
    pid_t other = 0;
    if (posix_spawn(&other, "/bin/true", nullptr, nullptr, words, environ) != 0) fail("no process");
    for (const pid_t one : {child, listed, open_file, other}) waitpid(one, nullptr, 0);
    sleep_ms(5);
    std::free(std::malloc(10));
  }
}

void load(const char* path) {
  using function = void*(std::size_t);
  function* allocate = nullptr;
  while (!over) {
    sleep_ms(1);
    if (asked && allocate == nullptr) {
      void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) {
        allocate = reinterpret_cast<function*>(dlsym(library, "allocate_some"));
      }
      if (allocate == nullptr) fail("the library was not loaded");
      if (allocate == nullptr) return;
    }
    for (int i = 0; i < 200; ++i) std::free(std::malloc(88));
    if (allocate != nullptr) std::free(allocate(99));
  }
}

void all_of(void (*what)(unsigned char), int threads) {
  std::vector<std::thread> running;
  for (int i = 1; i <= threads; ++i) running.emplace_back(what, static_cast<unsigned char>(i));
  for (std::thread& one : running) one.join();
}

}  // namespace

int main(int argc, char** argv) {
  struct sigaction end{};
  end.sa_handler = [](int) { over = true; };
  sigaction(SIGTERM, &end, nullptr);
  struct sigaction ask{};
  ask.sa_handler = [](int) { asked = true; };
  ask.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &ask, nullptr);
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (write(STDOUT_FILENO, "ready\n", 6) != 6) return 1;
  if (name == "threads") all_of(work, 4);
  if (name == "spins") all_of(spin, 2);
  if (name == "spins_alone") spin(99);
  if (name == "locks") wait_for_lock();
  if (name == "works_after_lock" && argc > 2) work_after_lock(argv[2]);
  if (name == "serves") serve();
  if (name == "sleeps_deep") sleep_deep();
  if (name == "starts") start_programs();
  if (name == "loads" && argc > 2) load(argv[2]);
  // Its calls go where they went before, or where hooks are that nobody could take out.
  void* (*volatile called)(std::size_t) = std::malloc;
  if (reinterpret_cast<void*>(called) != dlsym(RTLD_DEFAULT, "malloc"))
    return failures == 0 ? 3 : 4;
  return failures == 0 ? 0 : 4;
}
