// Functions that are no cancellation points: a thread that is to be cancelled goes through them.
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "malloc/workload.hpp"

namespace {

// Whether a thread to be cancelled comes back from `body`, and is cancelled after it.
bool goes_through(const std::function<void()>& body) {
  struct state {
    const std::function<void()>& body;
    bool came_back;
  } of_thread{body, false};
  pthread_t thread;
  const int failed = pthread_create(
      &thread, nullptr,
      [](void* p) -> void* {
        auto& s = *static_cast<state*>(p);
        pthread_cancel(pthread_self());
        s.body();
        s.came_back = true;
        pthread_testcancel();
        return nullptr;
      },
      &of_thread);
  EXPECT_EQ(failed, 0);
  void* result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  return of_thread.came_back;
}

// The thread's first calls, then those with a heap of its own: magazines that run empty and full,
// slabs that come and go, large and huge blocks.
TEST(malloc_cancellation, does_not_happen_where_blocks_come_and_go) {
  EXPECT_TRUE(goes_through([] {
    malloc_test::allocate_and_free(1);
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < 20'000; ++i) blocks.push_back(std::malloc(16 + i % 3'000));
    for (void* p : blocks) std::free(p);
    for (const std::size_t bytes : malloc_test::sizes) {
      void* p = std::calloc(1, bytes);
      p = std::realloc(p, 2 * bytes);
      p = std::realloc(p, bytes / 2);
      std::free(p);
      if (posix_memalign(&p, 8'192, bytes) == 0) std::free(p);
    }
    malloc_trim(0);
  }));
}

TEST(malloc_cancellation, does_not_happen_where_the_blocks_of_other_threads_are_freed) {
  std::vector<void*> blocks;
  std::thread([&] {
    for (std::size_t i = 0; i < 20'000; ++i) blocks.push_back(std::malloc(16 + i % 3'000));
    for (int i = 0; i < 10; ++i) blocks.push_back(std::malloc(1'000'000));
  }).join();
  EXPECT_TRUE(goes_through([&] {
    for (void* p : blocks) std::free(p);
  }));
}

// Before it forks, a thread waits for the locks that the others hold.
TEST(malloc_cancellation, does_not_happen_where_a_process_forks_beside_busy_threads) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i) {
    busy.emplace_back([&] {
      while (!stop) malloc_test::allocate_and_free(1'000);
    });
  }
  EXPECT_TRUE(goes_through([] {
    for (int i = 0; i < 300; ++i) {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      // A call of the system's, as the C library's is a cancellation point.
      syscall(SYS_wait4, child, nullptr, 0, nullptr);
    }
  }));
  stop = true;
  for (std::thread& one : busy) one.join();
}

TEST(malloc_cancellation, does_not_happen_where_figures_are_told) {
  FILE* const nowhere = std::fopen("/dev/null", "w");
  ASSERT_NE(nowhere, nullptr);
  // Without a buffer each part is written at once, which is a cancellation point.
  std::setvbuf(nowhere, nullptr, _IONBF, 0);
  EXPECT_TRUE(goes_through([nowhere] {
    static_cast<void>(mallinfo2());
    malloc_stats();
    malloc_info(0, nowhere);
  }));
  std::fclose(nowhere);
}

}  // namespace
