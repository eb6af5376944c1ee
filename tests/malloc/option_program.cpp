// A program to set options for: allocates so many MiB at once, and says whether there were. With
// `idle` instead it frees 64 MiB in blocks of all kinds, calls malloc no more, and says whether
// they have gone back in ten seconds, then the same of the child of a fork. With `grow` it says
// whether its memory came with few page faults, and whether most went back. With `leave` the main
// thread ends before another one, with `leave-alone` as the only one, and with `unseen` beside
// one that first allocates in its last destructor. With `reuse` its standard output has all
// descriptors that were free, and with `alarms` its standard error is a full pipe at its end, and a
// signal comes every ten ms. With `fork` a child holds its standard error once.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "support/footprint.hpp"

namespace {

using mallard_test::page_faults;
using mallard_test::resident_bytes;

// All large ones, and of the small ones all but one in eight.
void allocate_and_free_most() {
  static void* live[4096];
  void* const huge = std::memset(std::malloc(std::size_t{24} << 20), 1, std::size_t{24} << 20);
  void* const large = std::memset(std::malloc(std::size_t{6} << 20), 1, std::size_t{6} << 20);
  for (void*& p : live) p = std::memset(std::malloc(8000), 1, 8000);
  for (std::size_t i = 0; i < std::size(live); ++i) {
    if (i % 8 != 0) std::free(live[i]);
  }
  std::free(large);
  std::free(huge);
}

bool goes_back_by_itself() {
  const std::size_t before = resident_bytes();
  allocate_and_free_most();
  for (int tenth = 0; tenth < 100; ++tenth) {
    if (resident_bytes() < before + (std::size_t{6} << 20)) return true;
    usleep(100'000);
  }
  return false;
}

int stay_idle() {
  std::puts(goes_back_by_itself() ? "gone" : "there");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(goes_back_by_itself() ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  std::puts(status == 0 ? "gone" : "there");
  return 0;
}

// 96 MiB of small blocks, of which then one in 64 is left, and blocks of 10 to 18 MiB.
int grow() {
  static unsigned char* live[96 * 1024];
  const std::size_t before = resident_bytes();
  const long first = page_faults();
  for (unsigned char*& p : live) {
    p = static_cast<unsigned char*>(std::memset(std::malloc(1000), 1, 1000));
  }
  const long small = page_faults();
  for (std::size_t i = 0; i < std::size(live); ++i) {
    if (i % 64 != 0) std::free(live[i]);
  }
  malloc_trim(0);
  const bool has_shrunk = resident_bytes() < before + (std::size_t{24} << 20);
  bool is_unchanged = true;
  for (std::size_t i = 0; i < std::size(live); i += 64) {
    is_unchanged &= live[i][0] == 1 && std::memcmp(live[i], live[i] + 1, 999) == 0;
  }
  const long second = page_faults();
  void* large[2] = {};
  for (std::size_t i = 0; i < 30; ++i) {
    const std::size_t bytes = (std::size_t{10} << 20) + i * 300'000;
    std::free(large[i % 2]);
    large[i % 2] = std::memset(std::malloc(bytes), 1, bytes);
  }
  std::printf("%s faults for small blocks, %s for large ones, %s, %s\n",
              small - first < 8'000 ? "few" : "many",
              page_faults() - second < 15'000 ? "few" : "many",
              has_shrunk ? "shrunk" : "not shrunk", is_unchanged ? "unchanged" : "changed");
  return 0;
}

// Needs a heap of its own, and is not there when the main thread ends.
void* allocate_late(void*) {
  usleep(200'000);
  for (int i = 0; i < 100; ++i) std::free(std::malloc(100));
  allocate_and_free_most();
  std::puts("allocated");
  return nullptr;
}

pthread_key_t key_of_rounds;
char rounds[PTHREAD_DESTRUCTOR_ITERATIONS];

void allocate_in_last_round(void* round) {
  char* const next = static_cast<char*>(round) + 1;
  if (next != std::end(rounds)) {
    pthread_setspecific(key_of_rounds, next);
  } else {
    std::free(std::malloc(100));
  }
}

void* begin_rounds(void*) {
  pthread_setspecific(key_of_rounds, rounds);
  return nullptr;
}

[[noreturn]] void leave(bool is_alone) {
  std::atexit([] { std::puts("ended"); });
  pthread_t other;
  if (!is_alone) pthread_create(&other, nullptr, allocate_late, nullptr);
  pthread_exit(nullptr);
}

[[noreturn]] void leave_unseen() {
  std::atexit([] { std::puts("ended"); });
  pthread_key_create(&key_of_rounds, allocate_in_last_round);
  pthread_t other;
  pthread_create(&other, nullptr, begin_rounds, nullptr);
  pthread_exit(nullptr);
}

int reuse_descriptors() {
  for (int one = 3; one < 200; ++one) dup2(STDOUT_FILENO, one);
  return 0;
}

// Whether a child holds its standard error twice.
int fork_and_look() {
  if (fork() == 0) {
    struct stat error{};
    struct stat one{};
    fstat(STDERR_FILENO, &error);
    for (int i = 3; i < 200; ++i) {
      if (fstat(i, &one) == 0 && one.st_ino == error.st_ino) _exit(1);
    }
    return 0;
  }
  int status = 0;
  wait(&status);
  return status != 0 ? 1 : 0;
}

int end_with_alarms() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 10'000}, {0, 10'000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
  while (write(STDERR_FILENO, "\n", 1) == 1 || errno == EINTR) {
  }
  fcntl(STDERR_FILENO, F_SETFL, 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "idle") == 0) return stay_idle();
  if (argc > 1 && std::strcmp(argv[1], "grow") == 0) return grow();
  if (argc > 1 && std::strcmp(argv[1], "reuse") == 0) return reuse_descriptors();
  if (argc > 1 && std::strcmp(argv[1], "alarms") == 0) return end_with_alarms();
  if (argc > 1 && std::strcmp(argv[1], "fork") == 0) return fork_and_look();
  if (argc > 1 && std::strncmp(argv[1], "leave", 5) == 0) leave(argv[1][5] != '\0');
  if (argc > 1 && std::strcmp(argv[1], "unseen") == 0) leave_unseen();
  const std::size_t mib = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  void* const p = std::malloc(mib << 20);
  std::puts(p != nullptr ? "allocated" : "refused");
  std::free(p);
  // As many programs do at their end.
  std::fclose(stdout);
  std::fclose(stderr);
}
