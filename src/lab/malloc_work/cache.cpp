// Cache thrash and cache scratch: threads increment small blocks of their own, which may lie on one
// cache line.
#include "lab/malloc_work/kernels.hpp"

namespace mallard::lab::malloc_work {
namespace {

constexpr std::size_t chunk_bytes = 16;

// Chunks that are alive together and are then all freed again.
void warm_up(std::span<void*> chunks) {
  for (void*& chunk : chunks) {
    chunk = there(std::malloc(chunk_bytes));
    std::memset(chunk, 1, chunk_bytes);
  }
  for (void* chunk : chunks) std::free(chunk);
}

void touch_blocks(const malloc_job& job, std::size_t bytes) {
  for (std::uint64_t i = 0; i < job.operations; ++i) {
    void* const block = there(std::malloc(bytes));
    std::size_t at = 0;
    for (std::uint64_t k = 0; k < job.touches; ++k) {
      increment(static_cast<char*>(block) + at);
      if (++at == bytes) at = 0;
    }
    std::free(block);
  }
}

// One byte: nothing else is in the loop.
void touch_bytes(const malloc_job& job) {
  for (std::uint64_t i = 0; i < job.operations; ++i) {
    void* const block = there(std::malloc(1));
    for (std::uint64_t k = 0; k < job.touches; ++k) increment(block);
    std::free(block);
  }
}

// `given`: what the main thread allocated for each, or nothing.
void run(const malloc_job& job, own_memory& own, std::span<void*> given, malloc_readings& taken) {
  const std::size_t bytes = job.sizes.shares()[0].bytes;
  const auto chunks = own.make<std::span<void*>>(job.threads);
  for (auto& one : chunks) one = own.make<void*>(job.warm_ups);
  const team_times times = run_team(
      own, job.threads, [&](unsigned number) { warm_up(chunks[number]); },
      [&](unsigned number) {
        if (!given.empty()) std::free(given[number]);
        if (bytes == 1) {
          touch_bytes(job);
        } else {
          touch_blocks(job, bytes);
        }
      });
  taken.add(malloc_figure::time, times.work);
  add_resident_peak(own, taken);
}

}  // namespace

void thrash(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  run(job, own, {}, taken);
}

void scratch(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  const auto given = own.make<void*>(job.threads);
  for (void*& block : given) {
    block = there(std::malloc(job.sizes.shares()[0].bytes));
    increment(block);
  }
  run(job, own, given, taken);
}

}  // namespace mallard::lab::malloc_work
