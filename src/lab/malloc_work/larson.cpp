// Larson: a server whose threads replace blocks at random, end after a while, and leave their
// blocks to a successor.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "lab/malloc_work/kernels.hpp"

namespace mallard::lab::malloc_work {
namespace {

struct server;

// What a thread leaves to the next one.
struct alignas(128) estate {
  server* common = nullptr;
  std::span<void*> blocks;
  unsigned number = 0;
  std::uint64_t replaced = 0;
  std::uint64_t drawn = 0;  // sizes
  double end = 0;
};

struct server {
  const malloc_job& job;
  const size_table& sizes;
  double deadline = 0;
  std::atomic<unsigned> finished{0};
};

void replace_blocks(estate& own, std::uint64_t count) {
  random_stream random(own.common->job.seed + own.number + own.replaced);
  const auto slots = static_cast<std::uint32_t>(own.blocks.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    void*& block = own.blocks[random.below(slots)];
    std::free(block);
    block = there(std::malloc(own.common->sizes[own.drawn++]));
    increment(block);
  }
  own.replaced += count;
}

void* serve(void* argument) {
  estate& own = *static_cast<estate*>(argument);
  server& common = *own.common;
  settle_down(own.number);
  // A block is replaced `rounds` times on average; the clock is looked at in between.
  constexpr std::uint64_t between = 1000;
  for (std::uint64_t left = common.job.operations; left > 0 && now() < common.deadline;) {
    const std::uint64_t some = std::min(left, between);
    replace_blocks(own, some);
    left -= some;
  }
  if (now() < common.deadline) {
    pthread_t successor{};
    if (pthread_create(&successor, nullptr, serve, argument) == 0) {
      pthread_detach(successor);
      return nullptr;
    }
    give_up("a thread cannot be created");
  }
  own.end = now();
  ++common.finished;
  return nullptr;
}

}  // namespace

void larson(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  const size_table sizes(job, own);
  server common{job, sizes};
  const auto estates = own.make<estate>(job.threads);
  for (unsigned i = 0; i < job.threads; ++i) {
    estates[i].common = &common;
    estates[i].number = i;
    estates[i].drawn = size_table::start_of(i);
    estates[i].blocks = own.make<void*>(job.slots);
    // All blocks are the main thread's at first.
    for (void*& block : estates[i].blocks) {
      block = there(std::malloc(sizes[estates[i].drawn++]));
      increment(block);
    }
  }
  const double start = now();
  common.deadline = start + job.seconds;
  for (estate& one : estates) {
    pthread_t first{};
    if (pthread_create(&first, nullptr, serve, &one) != 0) give_up("a thread cannot be created");
    pthread_detach(first);
  }
  while (common.finished < job.threads) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  double end = start;
  double replaced = 0;
  for (const estate& one : estates) {
    end = std::max(end, one.end);
    replaced += static_cast<double>(one.replaced);
  }
  taken.add(malloc_figure::throughput, replaced / (end - start));
  add_resident_peak(own, taken);
}

}  // namespace mallard::lab::malloc_work
