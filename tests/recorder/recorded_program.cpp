// Programs that are recorded, each of which knows what it does: recorded_program NAME.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mallard/profile.hpp"

namespace {

// Calls have to be calls, and blocks have to be used.
void use(void* block) {
  asm volatile("" ::"r"(block) : "memory");
}

void pairs(int count, std::size_t bytes) {
  for (int i = 0; i < count; ++i) {
    void* const block = malloc(bytes);
    use(block);
    free(block);
  }
}

// By operators, which may or may not call malloc and free.
void objects(int count) {
  for (int i = 0; i < count; ++i) {
    void* const block = ::operator new(64);
    use(block);
    ::operator delete(block);
  }
}

// More than a ring holds, while the reader stands still; then some that it sees.
void pairs_unread() {
  kill(getppid(), SIGSTOP);
  pairs(100'000, 64);
  kill(getppid(), SIGCONT);
  for (int i = 0; i < 50; ++i) {
    usleep(1000);
    pairs(10, 64);
  }
}

// One block of each entry point, 100 bytes and so on up, so that each can be told by its size.
int every_entry() {
  std::vector<void*> of_c;
  of_c.reserve(20);
  of_c.push_back(malloc(101));
  of_c.push_back(calloc(2, 51));
  of_c.push_back(realloc(nullptr, 103));
  of_c.push_back(reallocarray(nullptr, 2, 52));
  of_c.push_back(memalign(64, 105));
  of_c.push_back(aligned_alloc(128, 106));
  void* block = nullptr;
  if (posix_memalign(&block, 256, 107) != 0) return 1;
  of_c.push_back(block);
  of_c.push_back(valloc(108));
  of_c.push_back(pvalloc(109));
  for (void* one : of_c) {
    use(one);
    free(one);
  }
  use(block = realloc(malloc(110), 50'000));
  free(block);
  struct alignas(64) wide {
    char bytes[64];
  };
  const auto one = [](auto* made, auto&& destroy) {
    use(made);
    destroy(made);
  };
  constexpr auto a = std::align_val_t{64};
  one(::operator new(111), [](void* p) { ::operator delete(p); });
  one(::operator new[](112), [](void* p) { ::operator delete[](p); });
  one(::operator new(113, a), [](void* p) { ::operator delete(p, a); });
  one(::operator new[](114, a), [](void* p) { ::operator delete[](p, a); });
  one(::operator new(115, std::nothrow), [](void* p) { ::operator delete(p, std::nothrow); });
  one(::operator new[](116, std::nothrow), [](void* p) { ::operator delete[](p, std::nothrow); });
  one(::operator new(117, a, std::nothrow), [](void* p) { ::operator delete(p, a, std::nothrow); });
  one(::operator new[](118, a, std::nothrow),
      [](void* p) { ::operator delete[](p, a, std::nothrow); });
  one(::operator new(119), [](void* p) { ::operator delete(p, std::size_t{119}); });
  one(::operator new[](120), [](void* p) { ::operator delete[](p, std::size_t{120}); });
  one(::operator new(121, a), [](void* p) { ::operator delete(p, std::size_t{121}, a); });
  one(::operator new[](122, a), [](void* p) { ::operator delete[](p, std::size_t{122}, a); });
  one(::operator new(0), [](void* p) { ::operator delete(p); });
  return 0;
}

// Fails once before there is memory, fails for good: what is left behind must not disturb.
int failing_new() {
  static int handled = 0;
  std::set_new_handler([] {
    ++handled;
    if (handled == 3) {
      std::set_new_handler(nullptr);
    }
  });
  // Within what the language allows, and more than there is.
  volatile std::size_t too_much = PTRDIFF_MAX - 100;
  try {
    use(::operator new(too_much));
    return 1;
  } catch (const std::bad_alloc&) {
  }
  pairs(10, 77);
  std::unique_ptr<int> more(new int(handled));
  use(more.get());
  return handled == 3 ? 0 : 2;
}

int failing_malloc() {
  volatile std::size_t too_much = PTRDIFF_MAX - 100;
  void* const block = malloc(50);
  const bool failed = malloc(too_much) == nullptr && calloc(too_much, 3) == nullptr &&
                      realloc(block, too_much) == nullptr &&
                      reallocarray(block, too_much, too_much) == nullptr;
  // That a program asks for what is nothing is no failure.
  void* none = nullptr;
  volatile std::size_t no_alignment = 3;
  if (posix_memalign(&none, no_alignment, 100) != EINVAL) return 2;
  free(block);
  return failed ? 0 : 1;
}

int killed() {
  pairs(100'000, 32);
  kill(getpid(), SIGKILL);
  return 1;
}

// Two on one line, as macros of a program's own may be.
#define BOTH_SCOPES       \
  MALLARD_SCOPE("round"); \
  MALLARD_SCOPE("part");

// Until nobody records it any more, or nearly for ever.
int running() {
  const pid_t recorder = getppid();
  for (int i = 0; i < 6000 && getppid() == recorder; ++i) {
    BOTH_SCOPES
    pairs(10, 32);
    usleep(10'000);
  }
  return 0;
}

int busy() {
  pairs(20'000'000, 32);
  return 0;
}

int ended_at_once() {
  pairs(1000, 32);
  _exit(7);
}

int crashed() {
  pairs(1000, 32);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  raise(SIGSEGV);
  return 1;
}

int forking() {
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      pairs(500, 48);
      _exit(0);
    }
  }
  int status = 0;
  int done = 0;
  while (wait(&status) > 0) done += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
  return done == 100 ? 0 : 1;
}

// Forks while other threads allocate.
int forking_with_threads() {
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) others.emplace_back([] { pairs(200'000, 24); });
  int failed = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      std::thread([] { pairs(100, 56); }).join();
      _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) ++failed;
  }
  for (std::thread& one : others) one.join();
  return failed;
}

int executing(const char* self) {
  pairs(300, 40);
  const pid_t child = vfork();
  if (child == 0) {
    execl(self, self, "pairs", nullptr);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return 1;
  execl(self, self, "pairs", nullptr);
  return 2;
}

int threads() {
  for (int round = 0; round < 10; ++round) {
    std::vector<std::thread> some;
    for (int i = 0; i < 100; ++i) some.emplace_back([] { pairs(50, 40); });
    for (std::thread& one : some) one.join();
  }
  return 0;
}

// The process goes on without its first thread.
void first_thread_ends() {
  std::thread([] {
    for (int i = 0; i < 30; ++i) {
      pairs(1000, 40);
      usleep(20'000);
    }
    exit(0);
  }).detach();
  pthread_exit(nullptr);
}

// As many at the same time.
int many_threads(unsigned count) {
  static pthread_barrier_t all_there;
  pthread_barrier_init(&all_there, nullptr, count);
  std::vector<std::thread> some;
  for (unsigned i = 0; i < count; ++i) {
    some.emplace_back([] {
      pairs(20, 40);
      pthread_barrier_wait(&all_there);
      pairs(20, 40);
    });
  }
  for (std::thread& one : some) one.join();
  return 0;
}

// Blocks that are made and freed when the thread's own variables and keys are destroyed.
int thread_ends() {
  static pthread_key_t key;
  pthread_key_create(&key, [](void* block) {
    free(block);
    static thread_local int rounds = 0;
    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(key, malloc(60));
  });
  for (int i = 0; i < 50; ++i) {
    std::thread([] {
      static thread_local std::string text(100, 'x');
      text += 'y';
      pthread_setspecific(key, malloc(60));
    }).join();
  }
  return 0;
}

volatile sig_atomic_t signals = 0;

// A handler that allocates, at any instant but inside malloc itself.
int signal_handler() {
  struct sigaction action{};
  action.sa_handler = [](int) { signals = signals + 1; };
  sigaction(SIGPROF, &action, nullptr);
  struct sigaction other{};
  other.sa_handler = [](int) { pairs(3, 200); };
  sigaction(SIGUSR1, &other, nullptr);
  const itimerval often{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &often, nullptr);
  for (int i = 0; i < 2000; ++i) {
    pairs(50, 30);
    raise(SIGUSR1);
  }
  while (signals < 3) pairs(1000, 30);
  const itimerval never{};
  setitimer(ITIMER_PROF, &never, nullptr);
  return 0;
}

// Uses the processor.
[[gnu::noinline]] void spin(long milliseconds) {
  timespec begin{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (;;) {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1'000'000 >=
        milliseconds) {
      break;
    }
  }
}

// Resets every signal as daemons do, handles some, blocks all: none comes but what it sends.
int signals_of_its_own() {
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  pairs(100, 30);
  struct sigaction count{};
  count.sa_handler = [](int) { signals = signals + 1; };
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaction(signal, &count, nullptr);
  spin(50);
  raise(SIGRTMAX - 1);
  if (signals != 1) return 1;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  spin(450);
  const timespec at_once{};
  return sigtimedwait(&all, nullptr, &at_once) == -1 && errno == EAGAIN ? 0 : 2;
}

// The C library asks every thread by a signal of its own to change its user.
int changing_user() {
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) pairs(100, 30);
  });
  int failed = 0;
  for (int i = 0; i < 100; ++i) failed += setuid(getuid()) != 0;
  over = true;
  other.join();
  return failed;
}

// Signals that wait to be sent, with those that timers would send.
long queued_signals() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("SigQ:")) return std::stol(line.substr(5));
  }
  return -1;
}

// Three at once, so many that the recorder needs the rooms of those that have ended.
int threads_without_end() {
  const auto work = [] {
    for (int i = 0; i < 30; ++i) free(malloc(100));
  };
  const auto start_many = [&] {
    for (int i = 0; i < 2500; ++i) std::thread(work).join();
  };
  std::thread others[2] = {std::thread(start_many), std::thread(start_many)};
  start_many();
  for (std::thread& one : others) one.join();
  return 0;
}

int short_threads() {
  const long before = queued_signals();
  for (int i = 0; i < 1000; ++i) std::thread([] { pairs(1, 40); }).join();
  // Others of this user may have some meanwhile.
  return queued_signals() - before < 700 ? 0 : 1;
}

int closed_descriptors() {
  pairs(10, 30);
  for (int i = 3; i < 1024; ++i) close(i);
  const pid_t child = fork();
  if (child == 0) {
    pairs(200, 30);
    std::thread([] { pairs(200, 30); }).join();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  // The next descriptor is what it would be without a recorder.
  return status == 0 && open("/dev/null", O_RDONLY) == 3 ? 0 : 1;
}

int changed_root() {
  if (chroot("/var/empty") != 0 && chroot("/proc/self/fd") != 0 && chroot("/mnt") != 0) return 77;
  const pid_t child = fork();
  if (child == 0) {
    pairs(200, 30);
    std::thread([] { pairs(200, 30); }).join();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  pairs(200, 30);
  return status;
}

// Two libraries at the same addresses, one after the other.
int reloading(const char* first, const char* second) {
  for (int i = 0; i < 20; ++i) {
    void* const handle = dlopen(i % 2 == 0 ? first : second, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return 1;
    using function = void*(std::size_t);
    auto* const allocate = reinterpret_cast<function*>(dlsym(handle, "allocate_some"));
    if (allocate == nullptr) return 2;
    void* const block = allocate(300);
    use(block);
    free(block);
    dlclose(handle);
  }
  return 0;
}

// Uses the processor in two functions, three times as long in one.
[[gnu::noinline]] void long_part() {
  spin(300);
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void short_part() {
  spin(100);
  asm volatile("" ::: "memory");
}

int processor_time() {
  pairs(1, 10);
  long_part();
  short_part();
  return 0;
}

// The same in threads that are shorter than the system's ticks.
int processor_time_of_short_threads() {
  for (int i = 0; i < 400; ++i) {
    std::thread([] {
      pairs(1, 10);
      spin(1);
    }).join();
  }
  return 0;
}

// The recording's addresses are no part of those that a program may have.
int limits_its_addresses() {
  pairs(1, 10);
  const rlimit few{rlim_t{1} << 30, rlim_t{1} << 30};
  if (setrlimit(RLIMIT_AS, &few) != 0) return 1;
  void* const block = malloc(std::size_t{1} << 20);
  void* const too_large = malloc(std::size_t{16} << 30);
  use(block);
  return block == nullptr ? 2 : too_large != nullptr ? 3 : 0;
}

int locks_its_memory() {
  pairs(1, 10);
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return 77;
  std::ifstream in("/proc/self/statm");
  long size = 0, resident = 0;
  in >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE) < (1L << 30) ? 0 : 1;
}

// Marked in the source, as mallard/profile.hpp offers.
void marked_part(int count) {
  MALLARD_SCOPE("marked part");
  pairs(count, 210);
}

int marked() {
  std::thread([] {
    mallard::profile::thread_name("the worker");
    marked_part(1);
  }).join();
  marked_part(10);
  char buffer[4096];
  std::pmr::monotonic_buffer_resource arena(buffer, sizeof buffer);
  mallard::profiled_resource named("the arena", &arena);
  void* const block = named.allocate(72, 8);
  use(block);
  named.deallocate(block, 72, 8);
  void* const lives = malloc(220);
  mallard::profile::pause();
  marked_part(100);
  use(lives);
  free(lives);
  mallard::profile::resume();
  marked_part(1);
  const pid_t child = fork();
  if (child == 0) {
    marked_part(5);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

[[gnu::noinline]] pid_t start_by_vfork(char** words) {
  const pid_t child = vfork();
  if (child != 0) return child;
  execve(words[0], words, environ);
  _exit(1);
}

// Has a child become another program, in one way of many. Returns: its exit status.
int starting(std::string_view how, char* program) {
  std::free(std::malloc(100));
  const std::string folder = std::filesystem::path(program).parent_path().string();
  const std::string name = std::filesystem::path(program).filename().string();
  const std::string path = folder + ":/nowhere";
  char* words[] = {program, nullptr};
  char* nothing[] = {nullptr};
  pid_t child = 0;
  if (how == "posix_spawn") {
    if (posix_spawn(&child, program, nullptr, nullptr, words, environ) != 0) return 1;
  } else if (how == "posix_spawnp") {
    setenv("PATH", path.c_str(), 1);
    if (posix_spawnp(&child, name.c_str(), nullptr, nullptr, words, environ) != 0) return 1;
  } else if (how == "vfork") {
    child = start_by_vfork(words);
  } else {
    child = fork();
    if (child == 0) {
      if (how == "failing") _exit(execve(program, words, environ) < 0 ? 0 : 1);
      if (how == "without_environment") execve(program, words, nothing);
      const rlimit little{200U << 20, RLIM_INFINITY};
      if (how == "in_little_room") setrlimit(RLIMIT_AS, &little);
      if (how == "preloading_another") setenv("LD_PRELOAD", "libc.so.6", 1);
      if (how == "out_of_reach") setenv("MALLARD_RECORD", "/proc/1/fd/no-such", 1);
      if (how == "as_another_user" && setresuid(65534, 65534, 65534) != 0) _exit(1);
      if (how == "execvp" || how == "execlp") setenv("PATH", path.c_str(), 1);
      // A start that the system refuses is not what is tested: it is said, and tried again.
      for (int tries = 0; tries < 3; ++tries) {
        if (how == "execv") execv(program, words);
        if (how == "execl") execl(program, program, static_cast<char*>(nullptr));
        if (how == "execvp") execvp(name.c_str(), words);
        if (how == "execlp") execlp(name.c_str(), program, static_cast<char*>(nullptr));
        execve(program, words, environ);
        std::perror(program);
        usleep(50'000);
      }
      _exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::fprintf(stderr, "%s: ended by signal %d\n", program, WTERMSIG(status));
  return 1;
}

// Ends before its child has done anything.
int daemon_of_its_own() {
  int begun[2];
  if (pipe(begun) != 0) return 1;
  if (fork() != 0) {
    close(begun[1]);
    char nothing;
    return read(begun[0], &nothing, 1) == 0 ? 0 : 1;
  }
  setsid();
  pairs(25, 64);
  close(begun[1]);
  usleep(300'000);
  pairs(25, 64);
  return 0;
}

// Its parent ends before it has allocated, and it does nothing until the other end of that pipe is
// closed.
int daemon_of_the_c_library(int other_end) {
  const pid_t parent = getpid();
  if (daemon(1, 0) != 0) return 1;
  while (getppid() == parent) usleep(1000);
  char nothing;
  while (read(other_end, &nothing, 1) < 0 && errno == EINTR) {
  }
  pairs(50, 64);
  return 0;
}

// From here on a call of the system that changes what a signal does ends the process.
bool give_up_signal_actions() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// 77: filters cannot be had here.
int filtered(bool with_threads) {
  if (with_threads) std::thread([] { pairs(10, 64); }).join();
  if (!give_up_signal_actions()) return 77;
  pairs(100'000, 64);  // more than a ring holds
  long_part();
  if (with_threads) std::thread([] { pairs(100'000, 64); }).join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "pairs") pairs(700, 64);
  if (what == "objects") objects(200'000);
  if (what == "pairs_unread") pairs_unread();
  if (what == "every_entry") return every_entry();
  if (what == "failing_new") return failing_new();
  if (what == "killed") return killed();
  if (what == "running") return running();
  if (what == "busy") return busy();
  if (what == "ended_at_once") return ended_at_once();
  if (what == "crashed") return crashed();
  if (what == "forking") return forking();
  if (what == "forking_with_threads") return forking_with_threads();
  if (what == "executing") return executing(argv[0]);
  if (what == "starting") return starting(argv[2], argv[3]);
  if (what == "threads") return threads();
  if (what == "first_thread_ends") first_thread_ends();
  if (what == "many_threads") return many_threads(1000);
  if (what == "too_many_threads") return many_threads(2200);
  if (what == "threads_without_end") return threads_without_end();
  if (what == "short_threads") return short_threads();
  if (what == "signals_of_its_own") return signals_of_its_own();
  if (what == "changing_user") return changing_user();
  if (what == "failing_malloc") return failing_malloc();
  if (what == "thread_ends") return thread_ends();
  if (what == "signal_handler") return signal_handler();
  if (what == "closed_descriptors") return closed_descriptors();
  if (what == "changed_root") return changed_root();
  if (what == "reloading") return reloading(argv[2], argv[3]);
  if (what == "marked") return marked();
  if (what == "processor_time") return processor_time();
  if (what == "processor_time_of_short_threads") return processor_time_of_short_threads();
  if (what == "limits_its_addresses") return limits_its_addresses();
  if (what == "locks_its_memory") return locks_its_memory();
  if (what == "daemon") return daemon_of_its_own();
  if (what == "daemon_of_the_c_library") return daemon_of_the_c_library(std::stoi(argv[2]));
  if (what == "filtered") return filtered(false);
  if (what == "filtered_with_threads") return filtered(true);
  return 0;
}
