// Programs in whose corners blocks are routed: signals, stacks of their own, jumps, libraries that
// come and go, ends of threads and of the program, and what is wrong. routed_corners_program NAME.
// 0: all was as it has to be.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

extern char** environ;

namespace {

int failures = 0;

void expect(bool fine, const char* what) {
  if (fine) return;
  ++failures;
  std::fprintf(stderr, "not so: %s\n", what);
}

[[gnu::noinline]] unsigned char* produce(std::size_t bytes) {
  auto* const block = static_cast<unsigned char*>(malloc(bytes));
  asm volatile("" ::"r"(block) : "memory");
  std::memset(block, static_cast<int>(bytes & 0xff), bytes);
  return block;
}
void check_and_free(unsigned char* block, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (block[i] == (bytes & 0xff)) continue;
    expect(false, "a block keeps what is in it");
    break;
  }
  free(block);
}
void some(int rounds = 100) {
  for (int i = 0; i < rounds; ++i) {
    const auto bytes = static_cast<std::size_t>(i % 300) + 1;
    check_and_free(produce(bytes), bytes);
  }
}

// Handlers interrupt the program anywhere, in the hook and in the walk over the stack, too. That
// one allocates is wrong in any program, unless what it interrupts does not.
volatile sig_atomic_t ticks = 0;
int interrupted() {
  struct sigaction action{};
  action.sa_handler = [](int) { ticks = ticks + 1; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  itimerval every{};
  every.it_interval.tv_usec = every.it_value.tv_usec = 1000;
  setitimer(ITIMER_PROF, &every, nullptr);
  while (ticks < 10) some();
  every = {};
  setitimer(ITIMER_PROF, &every, nullptr);
  return failures;
}
int handlers() {
  static std::vector<char> stack(1 << 16);
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_handler = [](int) {
    some(10);
    ticks = ticks + 1;
  };
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  for (int i = 0; i < 50; ++i) {
    auto* const around = produce(70);
    raise(SIGUSR1);
    check_and_free(around, 70);
  }
  expect(ticks == 50, "every signal was handled");
  return failures;
}

// The same addresses of a stack are those of other functions from one step to the next.
ucontext_t main_context;
ucontext_t task_context[2];
void task() {
  for (int i = 0; i < 50; ++i) {
    some(20);
    swapcontext(&task_context[i % 2], &main_context);
    some(5);
  }
}
int contexts() {
  static std::vector<char> stacks[2] = {std::vector<char>(1 << 16), std::vector<char>(1 << 16)};
  ucontext_t tasks[2];
  for (int i = 0; i < 2; ++i) {
    getcontext(&tasks[i]);
    tasks[i].uc_stack.ss_sp = stacks[i].data();
    tasks[i].uc_stack.ss_size = stacks[i].size();
    tasks[i].uc_link = &main_context;
    makecontext(&tasks[i], [] { some(50); }, 0);
  }
  for (ucontext_t& one : tasks) {
    swapcontext(&main_context, &one);
    some();
  }
  ucontext_t coroutine;
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = stacks[0].data();
  coroutine.uc_stack.ss_size = stacks[0].size();
  coroutine.uc_link = &main_context;
  makecontext(&coroutine, task, 0);
  swapcontext(&main_context, &coroutine);
  for (int i = 0; i < 49; ++i) {
    some(3);
    swapcontext(&main_context, &task_context[i % 2]);
  }
  return failures;
}

// Frames that are left without a return.
jmp_buf back;
[[gnu::noinline]] void deeper(int levels, bool jumps) {
  auto* const block = produce(24);
  if (levels != 0) {
    deeper(levels - 1, jumps);
  } else if (jumps) {
    free(block);
    longjmp(back, 1);
  } else {
    free(block);
    throw std::runtime_error("up");
  }
  check_and_free(block, 24);
}
int jumps() {
  volatile int rounds = 0;
  if (setjmp(back) != 0) rounds = rounds + 1;
  if (rounds < 20) deeper(rounds, true);
  for (int i = 0; i < 200; ++i) {
    try {
      deeper(i, false);
      expect(false, "an exception leaves it");
    } catch (const std::runtime_error& problem) {
      expect(std::string_view(problem.what()) == "up", "it is the exception that was thrown");
    }
    some(3);
  }
  return failures;
}

[[gnu::noinline]] std::size_t recurse(std::size_t levels) {
  auto* const block = produce(16);
  const std::size_t below = levels == 0 ? 0 : recurse(levels - 1);
  check_and_free(block, 16);
  return below + 1;
}

// A library's functions are at the addresses of another's that was there before.
int libraries(char** files) {
  for (int i = 0; i < 6; ++i) {
    void* const library = dlopen(files[i % 2], RTLD_NOW | RTLD_LOCAL);
    expect(library != nullptr, "the library is loaded");
    if (library == nullptr) return 1;
    auto* const allocate =
        reinterpret_cast<void* (*)(std::size_t)>(dlsym(library, "allocate_some"));
    std::vector<void*> blocks;
    for (int j = 0; j < 50; ++j) blocks.push_back(allocate(100));
    dlclose(library);  // what it allocated lives on
    for (void* const one : blocks) free(one);
  }
  return failures;
}

// The last thing to end frees and allocates, too.
struct last {
  unsigned char* block;
  explicit last(std::size_t bytes) : block(produce(bytes)) {}
  ~last() {
    check_and_free(block, 50);
    some(10);
  }
};
int ends() {
  static pthread_key_t key;
  static std::atomic<int> destroyed{0};
  pthread_key_create(&key, [](void* block) {
    check_and_free(static_cast<unsigned char*>(block), 40);
    some(10);
    static thread_local int rounds = 0;
    if (++rounds < 3) {  // again, when other keys are gone already
      pthread_setspecific(key, produce(40));
    } else {
      ++destroyed;
    }
  });
  for (int i = 0; i < 50; ++i) {
    std::thread([] {
      static thread_local last of_thread(50);
      asm volatile("" ::"r"(of_thread.block) : "memory");
      pthread_setspecific(key, produce(40));
      some(10);
    }).join();
  }
  expect(destroyed == 50, "each thread's own was destroyed");
  static last of_program(50);
  std::atexit([] { some(10); });
  return failures;
}

// Programs that are started in each way there is.
int starts(const char* self) {
  for (int i = 0; i < 3; ++i) {
    auto* const block = produce(40);
    std::string name = self;
    std::string what = "some";
    char* words[] = {name.data(), what.data(), nullptr};
    pid_t child = 0;
    expect(posix_spawn(&child, self, nullptr, nullptr, words, environ) == 0, "it is started");
    int status = 0;
    expect(waitpid(child, &status, 0) == child && status == 0, "it ends well");
    expect(std::system((name + " some").c_str()) == 0, "by a shell, too");
    FILE* const pipe = popen((name + " some").c_str(), "r");
    expect(pipe != nullptr && pclose(pipe) == 0, "and behind a pipe");
    std::thread([&] {  // a thread's child has that thread alone
      const pid_t of_thread = fork();
      if (of_thread == 0) {
        some();
        _exit(failures);
      }
      int ended = 0;
      expect(waitpid(of_thread, &ended, 0) == of_thread && ended == 0,
             "a thread's child ends well");
    })
        .join();
    check_and_free(block, 40);
  }
  return failures;
}

// Errors of the program's own must be as they were.
int errnos() {
  for (int i = 0; i < 200; ++i) {
    errno = 77;
    auto* const block = produce(static_cast<std::size_t>(i) * 37 + 1);
    expect(errno == 77, "malloc that succeeds leaves errno alone");
    free(block);
    expect(errno == 77, "free leaves errno alone");
  }
  errno = 0;
  volatile std::size_t most = SIZE_MAX - 100;
  expect(malloc(most) == nullptr && errno == ENOMEM, "too much is refused");
  errno = 0;
  expect(calloc(most, 2) == nullptr && errno == ENOMEM, "and so is a product that is too large");
  return failures;
}

// Ends the program, or nobody looks. With routes that is 1.
int misuse(std::string_view what) {
  const int unseen = std::getenv("MALLARD_ROUTE") != nullptr ? 1 : 0;
  unsigned char* volatile block = produce(50);
  [[maybe_unused]] volatile std::size_t unused = 0;
  if (what == "inside") free(block + 16);
  if (what == "odd") free(block + 5);
  if (what == "realloc_freed") {
    free(block);
    block = static_cast<unsigned char*>(realloc(block, 100));
  }
  if (what == "usable_size_freed") {
    free(block);
    unused = malloc_usable_size(block);
  }
  if (what == "delete_freed") {
    free(block);
    ::operator delete(block);
  }
  if (what == "beyond") free(block + (std::size_t{1} << 20));
  return unseen;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "some") return some(), failures;
  if (what == "interrupted") return interrupted();
  if (what == "handlers") return handlers();
  if (what == "contexts") return contexts();
  if (what == "jumps") return jumps();
  if (what == "recursion") return recurse(5000) == 5001 ? failures : 1;
  if (what == "libraries") return libraries(argv + 2);
  if (what == "ends") return ends();
  if (what == "starts") return starts(argv[0]);
  if (what == "errnos") return errnos();
  if (what == "misuse") return misuse(argv[2]);
  return 99;
}
