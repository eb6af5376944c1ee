// The parallel counter of the slides: the distance of the threads' counters decides whether the
// threads hinder each other. Also the same with small objects.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "lab/kernels/series_work.hpp"
#include "lab/measuring/random.hpp"
#include "lab/measuring/thread_team.hpp"

namespace mallard::lab {

inline constexpr std::size_t matrix_dimension = 512;

// About every second number is odd.
inline std::vector<int> make_matrix(std::uint64_t seed) {
  random_stream random(seed);
  std::vector<int> matrix(matrix_dimension * matrix_dimension);
  for (int& one : matrix) one = static_cast<int>(random.next() >> 33);
  return matrix;
}

// Counts the part of thread `number` repeatedly, so that all threads make `work.increments`. The
// counter is volatile, so that every form reads and writes it each time.
inline void count_odds(const std::vector<int>& matrix, const false_sharing_work& work,
                       unsigned number, volatile std::uint64_t& counter) {
  const std::size_t first = matrix.size() * number / work.threads;
  const std::size_t last = matrix.size() * (number + 1) / work.threads;
  const std::uint64_t passes = work.increments / matrix.size();
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = first; i < last; ++i) {
      if (matrix[i] % 2 != 0) counter = counter + 1;
    }
  }
}

// Counts in the given counters, one for each thread.
inline void run_counters(const false_sharing_work& work, readings& taken,
                         const std::vector<int>& matrix,
                         const std::vector<volatile std::uint64_t*>& counters) {
  const double seconds = run_team(
      work.threads, [&](unsigned number) { *counters[number] = 0; },
      [&](unsigned number) { count_odds(matrix, work, number, *counters[number]); });
  for (const auto* counter : counters) taken.checksum += *counter;
  taken.add("time", seconds);
}

// Example 1: the results lie side by side in one array.
template <class Arena>
void run_shared_array(const false_sharing_work& work, readings& taken) {
  const std::vector<int> matrix = make_matrix(work.seed);
  Arena arena;
  const std::size_t bytes = work.threads * sizeof(std::uint64_t);
  auto* results = static_cast<std::uint64_t*>(arena.heap()->allocate(bytes, 8));
  std::vector<volatile std::uint64_t*> counters;
  for (unsigned i = 0; i < work.threads; ++i) counters.push_back(results + i);
  run_counters(work, taken, matrix, counters);
  arena.heap()->deallocate(results, bytes, 8);
}

// Example 2: each thread counts in a local variable and writes its result once.
template <class Arena>
void run_local_variable(const false_sharing_work& work, readings& taken) {
  const std::vector<int> matrix = make_matrix(work.seed);
  Arena arena;
  const std::size_t bytes = work.threads * sizeof(std::uint64_t);
  auto* results = static_cast<std::uint64_t*>(arena.heap()->allocate(bytes, 8));
  const double seconds = run_team(
      work.threads, [](unsigned) {},
      [&](unsigned number) {
        volatile std::uint64_t count = 0;
        count_odds(matrix, work, number, count);
        results[number] = count;
      });
  for (unsigned i = 0; i < work.threads; ++i) taken.checksum += results[i];
  taken.add("time", seconds);
  arena.heap()->deallocate(results, bytes, 8);
}

// Each thread's counter comes from its own arena.
template <class Arena>
void run_arena_per_thread(const false_sharing_work& work, readings& taken) {
  const std::vector<int> matrix = make_matrix(work.seed);
  const auto arenas = std::make_unique<Arena[]>(work.threads);
  std::vector<volatile std::uint64_t*> counters;
  for (unsigned i = 0; i < work.threads; ++i) {
    counters.push_back(static_cast<std::uint64_t*>(arenas[i].heap()->allocate(8, 8)));
  }
  run_counters(work, taken, matrix, counters);
  for (unsigned i = 0; i < work.threads; ++i) {
    arenas[i].heap()->deallocate(const_cast<std::uint64_t*>(counters[i]), 8, 8);
  }
}

// A small object for one thread's work.
struct small_object {
  std::uint64_t value;
};
inline constexpr std::size_t objects_per_thread = 64;

// One thread makes all objects, in turn, as a thread that distributes work does. Then each thread
// increments its own. `heap_of` returns the heap of a thread's objects.
template <class HeapOf>
void run_objects(const false_sharing_work& work, readings& taken, const HeapOf& heap_of) {
  constexpr std::size_t alignment = alignof(small_object);
  std::vector<std::vector<small_object*>> objects(work.threads);
  for (std::size_t i = 0; i < objects_per_thread; ++i) {
    for (unsigned owner = 0; owner < work.threads; ++owner) {
      void* place = heap_of(owner)->allocate(sizeof(small_object), alignment);
      objects[owner].push_back(::new (place) small_object{0});
    }
  }
  const std::uint64_t rounds = work.increments / objects_per_thread / work.threads;
  const double seconds = run_team(
      work.threads, [](unsigned) {},
      [&](unsigned number) {
        for (std::uint64_t round = 0; round < rounds; ++round) {
          for (small_object* object : objects[number]) {
            auto& value = static_cast<volatile std::uint64_t&>(object->value);
            value = value + 1;
          }
        }
      });
  for (unsigned owner = 0; owner < work.threads; ++owner) {
    for (small_object* object : objects[owner]) {
      taken.checksum += object->value;
      heap_of(owner)->deallocate(object, sizeof(small_object), alignment);
    }
  }
  taken.add("time", seconds);
}

template <class Arena>
void run_objects_of_one_allocator(const false_sharing_work& work, readings& taken) {
  Arena arena;
  run_objects(work, taken, [&](unsigned) { return arena.heap(); });
}

template <class Arena>
void run_objects_of_own_arenas(const false_sharing_work& work, readings& taken) {
  const auto arenas = std::make_unique<Arena[]>(work.threads);
  run_objects(work, taken, [&](unsigned owner) { return arenas[owner].heap(); });
}

}  // namespace mallard::lab
