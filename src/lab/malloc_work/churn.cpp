// Churn: threads replace random blocks among a few.
#include <atomic>

#include "lab/malloc_work/kernels.hpp"

namespace mallard::lab::malloc_work {
namespace {

void touch(void* block, std::size_t bytes, first_touch how) {
  if (how == first_touch::first_byte) increment(block);
  if (how == first_touch::all) std::memset(block, 1, bytes);
}

// Of one thread.
struct churner {
  const malloc_job& job;
  const size_table& sizes;
  unsigned number;

  template <class Replace>
  void run(const Replace& replace) const {
    random_stream random(job.seed + number + 1);
    const auto slots = static_cast<std::uint32_t>(job.slots);
    const std::uint64_t first = size_table::start_of(number);
    for (std::uint64_t i = 0; i < job.operations; ++i) {
      replace(random.below(slots), sizes[first + i]);
    }
  }
};

// A spot belongs to whoever has just exchanged its block, so that no block is freed twice.
team_times churn_shared(const malloc_job& job, own_memory& own, const size_table& sizes) {
  const auto spots = own.make<std::atomic<void*>>(job.slots);
  const team_times times = run_team(
      own, job.threads, [](unsigned) {},
      [&](unsigned number) {
        churner{job, sizes, number}.run([&](std::uint32_t spot, std::uint32_t bytes) {
          void* fresh = there(std::malloc(bytes));
          touch(fresh, bytes, job.touch);
          std::free(spots[spot].exchange(fresh, std::memory_order_acq_rel));
        });
      });
  for (auto& spot : spots) std::free(spot);
  return times;
}

team_times churn_private(const malloc_job& job, own_memory& own, const size_table& sizes) {
  const auto all = own.make<std::span<void*>>(job.threads);
  for (auto& spots : all) spots = own.make<void*>(job.slots);
  const team_times times = run_team(
      own, job.threads, [](unsigned) {},
      [&](unsigned number) {
        const std::span<void*> spots = all[number];
        churner{job, sizes, number}.run([&](std::uint32_t spot, std::uint32_t bytes) {
          std::free(spots[spot]);
          spots[spot] = there(std::malloc(bytes));
          touch(spots[spot], bytes, job.touch);
        });
      });
  for (const auto& spots : all) {
    for (void* block : spots) std::free(block);
  }
  return times;
}

}  // namespace

void churn(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  const size_table sizes(job, own);
  const processor_seconds before = read_processor_seconds();
  const team_times times =
      job.shared_spots ? churn_shared(job, own, sizes) : churn_private(job, own, sizes);
  const processor_seconds after = read_processor_seconds();
  taken.add(malloc_figure::time, times.work);
  taken.add(malloc_figure::time_with_threads, times.whole);
  taken.add(malloc_figure::user, after.user - before.user);
  taken.add(malloc_figure::system, after.system - before.system);
  add_resident_peak(own, taken);
}

}  // namespace mallard::lab::malloc_work
