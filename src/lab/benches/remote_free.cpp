// Remote free: pairs of threads, one of which frees the other's blocks.
#include <fmt/format.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdlib>

#include "lab/bench/bench.hpp"
#include "lab/mallocs/malloc_axes.hpp"
#include "lab/mallocs/malloc_kernel.hpp"
#include "lab/mallocs/malloc_page.hpp"
#include "lab/mallocs/team.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

using namespace mallocs;

struct remote_work {
  unsigned threads = 1;          // pairs
  std::uint64_t operations = 0;  // allocated by each thread
  std::uint64_t batch = 1;       // allocated before any is freed
  std::uint32_t bytes = 0;
  bool ping_pong = false;  // both threads of a pair allocate
};

// Passes batches of blocks from one thread to another.
class batch_ring {
 public:
  static constexpr std::size_t batches = 4;

  void prepare(own_memory& own, std::size_t blocks) {
    for (auto& one : slots_) one = own.make<void*>(blocks);
  }

  std::span<void*> wait_for_room() {
    while (sent_.load(std::memory_order_relaxed) - freed_.load(std::memory_order_acquire) ==
           batches) {
      sched_yield();
    }
    return slots_[sent_.load(std::memory_order_relaxed) % batches];
  }
  void send() { sent_.fetch_add(1, std::memory_order_release); }

  std::span<void*> wait_for_batch() {
    while (sent_.load(std::memory_order_acquire) == freed_.load(std::memory_order_relaxed)) {
      sched_yield();
    }
    return slots_[freed_.load(std::memory_order_relaxed) % batches];
  }
  void give_room() { freed_.fetch_add(1, std::memory_order_release); }

 private:
  std::array<std::span<void*>, batches> slots_;
  alignas(128) std::atomic<std::uint64_t> sent_{0};
  alignas(128) std::atomic<std::uint64_t> freed_{0};
};

void allocate_batch(batch_ring& to, std::size_t bytes) {
  for (void*& block : to.wait_for_room()) {
    block = there(std::malloc(bytes));
    increment(block);
  }
  to.send();
}

void free_batch(batch_ring& from) {
  for (void* block : from.wait_for_batch()) {
    increment(block);
    std::free(block);
  }
  from.give_room();
}

void run(const remote_work& job, own_memory& own, readings& taken) {
  const std::size_t bytes = job.bytes;
  // Thread 2n sends to thread 2n + 1 through ring 2n. In ping-pong, that one sends back through
  // ring 2n + 1.
  const unsigned threads = 2 * job.threads;
  const auto rings = own.make<batch_ring>(threads);
  for (batch_ring& one : rings) one.prepare(own, job.batch);
  const std::uint64_t rounds = job.operations / job.batch;
  const team_times times = run_team(
      own, threads, [](unsigned) {},
      [&](unsigned number) {
        for (std::uint64_t i = 0; i < rounds; ++i) {
          if (job.ping_pong) {
            allocate_batch(rings[number], bytes);
            free_batch(rings[number ^ 1U]);
          } else if (number % 2 == 0) {
            allocate_batch(rings[number], bytes);
          } else {
            free_batch(rings[number ^ 1U]);
          }
        }
      });
  const double senders = job.ping_pong ? threads : job.threads;
  const double blocks = static_cast<double>(rounds * job.batch) * senders;
  taken.add("time", times.work);
  taken.add("per_op", times.work / blocks);
  add_resident_peak(own, taken);
}

const executed_kernel kernel("remote-free", run_kernel<remote_work, run>);

bool batch_fits(const place& at) {
  if (at.number("batch") <= at.number("objects")) return true;
  throw usage_error(fmt::format("--batch: {} is more than the {} blocks", at.number("batch"),
                                at.number("objects")));
}

task work_at(const contender&, const place& at) {
  remote_work work;
  work.threads = threads_at(at);
  work.operations = count_at(at, "objects");
  work.batch = count_at(at, "batch");
  work.bytes = bytes_at(at, "block");
  work.ping_pong = at.word("form") == "ping-pong";
  return make_task("remote-free", work);
}

}  // namespace

bench make_remote_free() {
  return {
      .name = "remote-free",
      .summary = "Mallocs: pairs of threads; one frees the blocks of the other",
      .title = "Blocks freed by another thread",
      .contenders = {},
      .axes = {integers("block", "64", "Bytes of a block", 1, size_mix::largest),
               thread_counts("1,2"),
               integers("batch", "100", "Blocks handed over at once", 1, 10'000'000),
               integers("objects", "2000000", "Blocks that a thread allocates", 1, most_objects)
                   .scaled()
                   .parameter(),
               words("form", {"one-way", "ping-pong"}, "ping-pong",
                     "one-way: one of the pair allocates, the other frees; ping-pong: both do "
                     "both")},
      .kernel = work_at,
      .measures = {{"per_op", "s", "Time of a block"}, time_kind(), resident_kind()},
      .main = "per_op",
      .figures = {{.title = "ns per block", .measure = "per_op", .scale = 1e9}, resident_figure()},
      .table = by_threads(),
      .expected_seconds =
          [](const place& at) { return spread(threads_at(at), 150e-9 * at.real("objects")); },
      .accept = batch_fits,
      .scaled = "blocks",
      .quick_scale = "0.1",
      .page = {.section = mallocs_section(),
               .cards = {{.half = true,
                          .along = "threads",
                          .along_title = "Pairs of threads",
                          .measures = {"per_op", "time", "rss"}}},
               .headlines = {own_malloc_gain()}},
  };
}

}  // namespace mallard::lab
