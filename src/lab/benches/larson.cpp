// Larson: a server whose threads replace random blocks, end after a while, and leave their blocks
// to a successor.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "lab/bench/bench.hpp"
#include "lab/mallocs/malloc_axes.hpp"
#include "lab/mallocs/malloc_kernel.hpp"
#include "lab/mallocs/malloc_page.hpp"
#include "lab/mallocs/team.hpp"

namespace mallard::lab {
namespace {

using namespace mallocs;

struct larson_work {
  unsigned threads = 1;
  std::uint64_t slots = 0;       // live ones of each thread
  std::uint64_t operations = 0;  // of each thread before it ends
  double seconds = 0;
  std::uint64_t seed = 1;
  size_mix sizes;
};

struct server;

// The blocks that a thread leaves to its successor.
struct alignas(128) estate {
  server* common = nullptr;
  std::span<void*> blocks;
  unsigned number = 0;
  std::uint64_t replaced = 0;
  std::uint64_t drawn = 0;  // sizes read so far
  double end = 0;
};

struct server {
  const larson_work& job;
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
  // Each block is replaced `rounds` times on average; the clock is read in between.
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

void run(const larson_work& job, own_memory& own, readings& taken) {
  const size_table sizes(job.sizes, job.seed, own);
  server common{job, sizes};
  const auto estates = own.make<estate>(job.threads);
  for (unsigned i = 0; i < job.threads; ++i) {
    estates[i].common = &common;
    estates[i].number = i;
    estates[i].drawn = size_table::start_of(i);
    estates[i].blocks = own.make<void*>(job.slots);
    // The main thread allocates the first blocks.
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
  taken.add("throughput", replaced / (end - start));
  add_resident_peak(own, taken);
}

const executed_kernel kernel("larson", run_kernel<larson_work, run>);

task work_at(const contender&, const place& at) {
  larson_work work;
  work.threads = threads_at(at);
  work.slots = count_at(at, "chunks");
  work.operations = work.slots * count_at(at, "rounds");
  work.seconds = at.real("seconds");
  work.seed = count_at(at, "seed");
  work.sizes = range_between(at, "min", "max", /*log_uniform=*/false);
  return make_task("larson", work);
}

}  // namespace

bench make_larson() {
  return {
      .name = "larson",
      .summary = "Mallocs: a server whose threads leave their blocks to their successors",
      .title = "Larson: a server’s throughput",
      .contenders = {},
      .axes = {thread_counts(), smallest_size("min", "8"), largest_size("max", "1000"),
               integers("chunks", "5000", "Live blocks of each thread", 1, 100'000'000),
               integers("rounds", "100",
                        "Times that a thread replaces each on average before it ends", 1,
                        100'000'000),
               real("seconds", "5", "Seconds of each cell", 0.01, 3600).scaled()},
      .kernel = work_at,
      .measures = {{"throughput", "1/s", "Throughput", better::more}, resident_kind()},
      .main = "throughput",
      .figures = {{.title = "million replacements a second",
                   .measure = "throughput",
                   .scale = 1e-6,
                   .which = better::more},
                  resident_figure()},
      .table = by_threads(),
      .expected_seconds = [](const place& at) { return at.real("seconds"); },
      .scaled = "seconds",
      .quick_scale = "0.04",
      .page = {.section = mallocs_section(),
               .cards = {lines_by_threads({"throughput", "rss"},
                                          "Operations a second: higher is better.")}},
  };
}

}  // namespace mallard::lab
