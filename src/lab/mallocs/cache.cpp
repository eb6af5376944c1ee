#include "lab/mallocs/cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "lab/mallocs/malloc_axes.hpp"
#include "lab/mallocs/malloc_kernel.hpp"
#include "lab/mallocs/malloc_page.hpp"
#include "lab/mallocs/team.hpp"

namespace mallard::lab::mallocs {
namespace {

constexpr std::size_t chunk_bytes = 16;

// Allocates chunks that live at the same time, then frees all.
void warm_up(std::span<void*> chunks) {
  for (void*& chunk : chunks) {
    chunk = there(std::malloc(chunk_bytes));
    std::memset(chunk, 1, chunk_bytes);
  }
  for (void* chunk : chunks) std::free(chunk);
}

void touch_blocks(const cache_work& job, std::size_t bytes) {
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

// One byte each, so that nothing else is in the loop.
void touch_bytes(const cache_work& job) {
  for (std::uint64_t i = 0; i < job.operations; ++i) {
    void* const block = there(std::malloc(1));
    for (std::uint64_t k = 0; k < job.touches; ++k) increment(block);
    std::free(block);
  }
}

bool shares_out(const place& at) {
  return at.word("work") == "total";
}

cache_work work_at(const place& at) {
  cache_work work;
  work.threads = threads_at(at);
  work.operations = count_at(at, "iterations");
  work.touches = count_at(at, "touches");
  if (shares_out(at)) work.touches = std::max<std::uint64_t>(1, work.touches / work.threads);
  work.warm_ups = count_at(at, "warm-up");
  work.bytes = bytes_at(at, "size");
  return work;
}

double expected_seconds(const place& at) {
  const double seconds = 1.5e-9 * at.real("iterations") * at.real("touches");
  return shares_out(at) ? seconds : spread(threads_at(at), seconds);
}

}  // namespace

void touch_own_blocks(const cache_work& job, own_memory& own, std::span<void*> given,
                      readings& taken) {
  const auto chunks = own.make<std::span<void*>>(job.threads);
  for (auto& one : chunks) one = own.make<void*>(job.warm_ups);
  const team_times times = run_team(
      own, job.threads, [&](unsigned number) { warm_up(chunks[number]); },
      [&](unsigned number) {
        if (!given.empty()) std::free(given[number]);
        if (job.bytes == 1) {
          touch_bytes(job);
        } else {
          touch_blocks(job, job.bytes);
        }
      });
  taken.add("time", times.work);
  add_resident_peak(own, taken);
}

bench make_cache_bench(std::string name, std::string summary, std::string title, std::string hint) {
  bench made;
  made.name = name;
  made.summary = std::move(summary);
  made.title = std::move(title);
  made.axes = {
      thread_counts(),
      integers("size", "1", "Bytes of a block", 1, size_mix::largest),
      words("work", {"per-thread", "total"}, "per-thread",
            "The reads and writes are per-thread, or the total that threads share out"),
      integers("iterations", "1000", "Blocks of each thread, one after the other", 1, most_objects),
      integers("touches", "1000000", "Reads and writes of each block", 1, most_objects).scaled(),
      integers("warm-up", "0",
               "Chunks of 16 bytes that each thread allocates and frees before the clock starts", 0,
               100'000'000)
          .parameter()};
  made.kernel = [name](const contender&, const place& at) { return make_task(name, work_at(at)); };
  made.measures = {time_kind(), resident_kind()};
  made.figures = {{.title = "time, ms", .measure = "time", .scale = 1e3}};
  made.table = by_threads();
  made.expected_seconds = expected_seconds;
  made.scaled = "reads and writes";
  made.quick_scale = "0.01";
  made.page = page_by_threads({"time", "rss"}, std::move(hint));
  return made;
}

}  // namespace mallard::lab::mallocs
