// Remote free: pairs of threads in which one frees what the other allocated.
#include <array>
#include <atomic>

#include "lab/malloc_work/kernels.hpp"

namespace mallard::lab::malloc_work {
namespace {

// Batches of blocks from one thread to one other.
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

}  // namespace

void remote_free(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  const std::size_t bytes = job.sizes.shares()[0].bytes;
  // Thread 2n sends to 2n + 1 by ring 2n; in ping-pong that one sends back by ring 2n + 1.
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
  taken.add(malloc_figure::time, times.work);
  taken.add(malloc_figure::per_op, times.work / blocks);
  add_resident_peak(own, taken);
}

}  // namespace mallard::lab::malloc_work
