// What a process may do around its malloc: fork, start and end threads, load libraries, end.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::array<std::size_t, 7> sizes = {16, 100, 900, 5'000, 40'000, 200'000, 9'000'000};

void allocate_and_free(int rounds) {
  std::array<void*, 40> blocks{};
  for (int i = 0; i < rounds; ++i) {
    for (std::size_t n = 0; n < blocks.size(); ++n) {
      blocks[n] = std::malloc(sizes[(n + static_cast<std::size_t>(i)) % (i % 8 == 0 ? 7 : 5)]);
      std::memset(blocks[n], 1, 16);
    }
    for (void* p : blocks) std::free(p);
  }
}

// Threads that allocate all the time, until the object goes.
class busy_threads {
 public:
  explicit busy_threads(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!stop_) allocate_and_free(1);
      });
    }
  }
  ~busy_threads() {
    stop_ = true;
    for (std::thread& t : threads_) t.join();
  }
  busy_threads(const busy_threads&) = delete;
  busy_threads& operator=(const busy_threads&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

// Returns the exit code; -1 after a signal, also that of the alarm.
int exit_code_of(const std::function<void()>& in_child) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    in_child();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(malloc_process, the_child_of_a_fork_can_allocate_whatever_other_threads_did) {
  const busy_threads busy(4);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(exit_code_of([] { allocate_and_free(10); }), 0) << "fork " << i;
  }
}

TEST(malloc_process, the_child_of_a_fork_can_start_threads_and_fork) {
  const busy_threads busy(2);
  for (int i = 0; i < 30; ++i) {
    const int code = exit_code_of([] {
      std::thread([] { allocate_and_free(5); }).join();
      _exit(exit_code_of([] { allocate_and_free(5); }) == 0 ? 7 : 1);
    });
    ASSERT_EQ(code, 7) << "fork " << i;
  }
}

TEST(malloc_process, handlers_of_fork_may_allocate) {
  static std::atomic<int> called{0};
  const auto handler = [] {
    std::free(std::malloc(100'000));
    std::free(std::malloc(100));
    ++called;
  };
  pthread_atfork(handler, handler, handler);
  EXPECT_EQ(exit_code_of([] { _exit(called == 2 ? 3 : 1); }), 3);
}

std::size_t resident_bytes() {
  long pages = 0;
  if (FILE* const f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%*s %ld", &pages) != 1) pages = 0;
    std::fclose(f);
  }
  return static_cast<std::size_t>(pages) * 4096;
}

TEST(malloc_process, short_threads_leave_nothing_behind) {
  const auto churn = [](int count) {
    for (int i = 0; i < count; ++i) std::thread([] { allocate_and_free(1); }).join();
  };
  churn(100);
  const std::size_t before = resident_bytes();
  churn(3000);
  EXPECT_LT(resident_bytes(), before + (std::size_t{16} << 20));
}

TEST(malloc_process, blocks_survive_the_thread_that_allocated_them) {
  std::vector<void*> blocks;
  for (int i = 0; i < 300; ++i) {
    std::thread([&, i] {
      for (int n = 0; n < 20; ++n) {
        blocks.push_back(std::malloc(500));
        std::memset(blocks.back(), i, 500);
      }
    }).join();
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto* const bytes = static_cast<unsigned char*>(blocks[b]);
    ASSERT_EQ(bytes[0], static_cast<unsigned char>(b / 20));
    ASSERT_EQ(bytes[499], static_cast<unsigned char>(b / 20));
    std::free(blocks[b]);
  }
}

TEST(malloc_process, destructors_of_thread_locals_may_allocate_and_free) {
  struct owner {
    std::vector<std::string> names;
    ~owner() {
      for (int i = 0; i < 1000; ++i) names.push_back(std::string(100, 'x'));
    }
  };
  static thread_local owner of_thread;
  std::vector<std::thread> threads;
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([] { of_thread.names.resize(10, std::string(50, 'y')); });
  }
  for (std::thread& t : threads) t.join();
}

// Each destructor sets its key again, as often as the system calls it: later than any cleaning up
// by malloc itself. Another thread frees and allocates all the time, and would get the same heap.
TEST(malloc_process, destructors_of_keys_may_allocate_after_the_thread_has_left_its_heap) {
  static pthread_key_t key;
  static std::atomic<int> called{0};
  ASSERT_EQ(pthread_key_create(&key,
                               [](void* p) {
                                 std::vector<void*> blocks;
                                 for (int i = 0; i < 200; ++i) {
                                   blocks.push_back(std::malloc(64));
                                   std::memset(blocks.back(), 0x3c, 64);
                                 }
                                 for (void* b : blocks) {
                                   const auto* const bytes = static_cast<unsigned char*>(b);
                                   if (bytes[0] != 0x3c || bytes[63] != 0x3c) std::abort();
                                   std::free(b);
                                 }
                                 std::free(p);
                                 ++called;
                                 pthread_setspecific(key, std::malloc(30));
                               }),
            0);
  {
    const busy_threads busy(2);
    for (int i = 0; i < 200; ++i) {
      std::thread([] { pthread_setspecific(key, std::malloc(20)); }).join();
    }
  }
  EXPECT_GE(called.load(), 200);
  pthread_key_delete(key);
}

TEST(malloc_process, a_signal_handler_may_end_the_process) {
  for (int i = 0; i < 20; ++i) {
    const int code = exit_code_of([i] {
      signal(SIGUSR1, [](int) { std::exit(5); });
      std::thread other([] {
        for (;;) allocate_and_free(1);
      });
      other.detach();
      std::thread([i] {
        usleep(static_cast<useconds_t>(500 + 300 * i));
        kill(getpid(), SIGUSR1);
      }).detach();
      // No lock of malloc's is held by whoever runs the handler: this thread only waits.
      sigset_t none;
      sigemptyset(&none);
      for (;;) sigsuspend(&none);
    });
    ASSERT_EQ(code, 5) << i;
  }
}

TEST(malloc_process, libraries_that_allocate_come_and_go) {
  for (int i = 0; i < 50; ++i) {
    void* const library = dlopen(MALLARD_ALLOCATING_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto make = reinterpret_cast<char* (*)(std::size_t)>(dlsym(library, "make_text"));
    ASSERT_NE(make, nullptr);
    char* text = nullptr;
    std::thread([&] { text = make(1000); }).join();
    ASSERT_EQ(dlclose(library), 0);
    EXPECT_EQ(std::strlen(text), 1000u);
    std::free(text);
  }
}

}  // namespace
