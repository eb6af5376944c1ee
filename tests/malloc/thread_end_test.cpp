// Threads leave things behind that allocate until the very end.
#include <gtest/gtest.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>

#include <vector>

#include "malloc/workload.hpp"
#include "support/footprint.hpp"

namespace {

pthread_key_t late_key;

// More than a thread gets without a heap of its own, and a large one.
void allocate_late() {
  std::array<void*, 300> blocks{};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = std::malloc(i == 0 ? 1'000'000 : i % 10 == 0 ? 20'000 : 100);
    std::memset(blocks[i], 0x3c, 100);
  }
  for (void* p : blocks) {
    if (static_cast<unsigned char*>(p)[99] != 0x3c) std::abort();
    std::free(p);
  }
}

// In which round of destructors the threads allocate for the first time.
std::uintptr_t first_round = 1;

// Each time the system calls it, which it does so often and no more.
void at_end(void* rounds_left) {
  const auto left = reinterpret_cast<std::uintptr_t>(rounds_left);
  if (left + first_round <= PTHREAD_DESTRUCTOR_ITERATIONS + 1) allocate_late();
  if (left > 1) pthread_setspecific(late_key, reinterpret_cast<void*>(left - 1));
}

void* run(void* allocates_before) {
  if (allocates_before != nullptr) allocate_late();
  pthread_setspecific(late_key,
                      reinterpret_cast<void*>(std::uintptr_t{PTHREAD_DESTRUCTOR_ITERATIONS}));
  return nullptr;
}

// Calls that std::thread makes at the end of a thread count, too.
void run_threads(int count, bool allocate_before) {
  std::array<pthread_t, 10> threads{};
  for (int i = 0; i < count; i += static_cast<int>(threads.size())) {
    for (pthread_t& t : threads) {
      ASSERT_EQ(pthread_create(&t, nullptr, run, allocate_before ? &late_key : nullptr), 0);
    }
    for (const pthread_t t : threads) pthread_join(t, nullptr);
  }
}

void expect_nothing_left(bool allocate_before) {
  ASSERT_EQ(pthread_key_create(&late_key, at_end), 0);
  run_threads(200, allocate_before);
  const std::size_t resident = mallard_test::resident_bytes();
  const std::size_t mapped = mallard_test::status_bytes("VmSize");
  run_threads(5'000, allocate_before);
  const std::size_t resident_after = mallard_test::resident_bytes();
  const std::size_t mapped_after = mallard_test::status_bytes("VmSize");
  pthread_key_delete(late_key);
  // Less than 3 KiB, or two pages, for each thread.
  EXPECT_LT(resident_after, resident + (std::size_t{14} << 20));
  EXPECT_LT(mapped_after, mapped + (std::size_t{66} << 20));
}

TEST(malloc_thread_end, destructors_that_come_again_and_again_leave_nothing_behind) {
  expect_nothing_left(true);
}

TEST(malloc_thread_end, so_do_those_of_threads_that_have_not_allocated_before) {
  expect_nothing_left(false);
}

TEST(malloc_thread_end, so_do_those_of_threads_that_begin_to_in_the_second_round) {
  first_round = 2;
  expect_nothing_left(false);
  first_round = 1;
}

// Each has a heap with a few blocks of many sizes; then all are free.
void* wait_with_a_heap(void* barrier) {
  std::array<void*, 64> blocks{};
  for (std::size_t i = 0; i < 300; ++i) {
    void*& p = blocks[i % blocks.size()];
    std::free(p);
    const std::size_t bytes = 1 + i * 7919 % (i % 4 == 0 ? 30'000 : 1'000);
    p = std::malloc(bytes);
    std::memset(p, 1, bytes);
  }
  for (void* p : blocks) std::free(p);
  pthread_barrier_wait(static_cast<pthread_barrier_t*>(barrier));
  return nullptr;
}

void end_threads_at_once(std::size_t count) {
  std::vector<pthread_t> threads(count);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(count));
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, 64 << 10);
  for (pthread_t& t : threads) {
    ASSERT_EQ(pthread_create(&t, &how, wait_with_a_heap, &barrier), 0);
  }
  for (const pthread_t t : threads) pthread_join(t, nullptr);
  pthread_attr_destroy(&how);
  pthread_barrier_destroy(&barrier);
}

// They get in each other's way when they give their memory back. Other tests do not see the
// addresses that they leave.
TEST(malloc_thread_end, threads_that_end_at_once_leave_no_more_than_is_kept) {
  EXPECT_EQ(malloc_test::exit_code_of([] {
              for (int wave = 0; wave < 3; ++wave) {
                end_threads_at_once(1'500);
                EXPECT_LT(mallinfo2().fordblks, std::size_t{700} << 20) << "wave " << wave;
              }
            }),
            0);
}

}  // namespace
