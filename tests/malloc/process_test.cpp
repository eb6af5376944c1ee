// A process may do this around its malloc: start and end threads, load libraries, end.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include <array>
#include <memory>
#include <string>

#include "malloc/workload.hpp"
#include "support/footprint.hpp"
#include "support/threads.hpp"

namespace {

using malloc_test::allocate_and_free;
using malloc_test::busy_threads;
using malloc_test::exit_code_of;

TEST(malloc_process, short_threads_leave_nothing_behind) {
  const auto churn = [](int count) {
    for (int i = 0; i < count; ++i) std::thread([] { allocate_and_free(1); }).join();
  };
  churn(100);
  const std::size_t before = mallard_test::resident_bytes();
  churn(3000);
  EXPECT_LT(mallard_test::resident_bytes(), before + (std::size_t{16} << 20));
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
  mallard_test::in_threads(50, [] { of_thread.names.resize(10, std::string(50, 'y')); });
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

TEST(malloc_process, a_signal_handler_may_ask_for_figures) {
  const int code = exit_code_of([] {
    static volatile int asked = 0;
    alarm(60);
    signal(SIGVTALRM, [](int) {
      static_cast<void>(mallinfo2());
      asked = asked + 1;
    });
    const itimerval often{{0, 500}, {0, 500}};
    setitimer(ITIMER_VIRTUAL, &often, nullptr);
    while (asked < 200) {
      std::array<void*, 8> blocks{};
      for (void*& p : blocks) p = std::malloc(500'000);
      for (void* p : blocks) std::free(p);
      malloc_trim(0);
    }
  });
  EXPECT_EQ(code, 0);
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
