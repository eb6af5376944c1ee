// Mixed: blocks of all sizes are replaced at random, some of them freed by another thread; first as
// fast as it goes, then with every call timed.
#include <algorithm>

#include "lab/block_ring.hpp"
#include "lab/malloc_work/kernels.hpp"
#include "lab/malloc_work/latency_histogram.hpp"

namespace mallard::lab::malloc_work {
namespace {

struct alignas(128) worker {
  std::span<void*> blocks;
  block_ring inbox;  // to be freed here
  std::uint64_t drawn = 0;
  latency_histogram mallocs;
  latency_histogram frees;
};

struct untimed {
  template <class Call>
  static auto malloc(worker&, const Call& call) {
    return call();
  }
  template <class Call>
  static void free(worker&, const Call& call) {
    call();
  }
};

struct timed {
  template <class Call>
  static auto malloc(worker& own, const Call& call) {
    const std::uint64_t start = read_ticks();
    void* block = call();
    own.mallocs.add(read_ticks() - start);
    return block;
  }
  template <class Call>
  static void free(worker& own, const Call& call) {
    const std::uint64_t start = read_ticks();
    call();
    own.frees.add(read_ticks() - start);
  }
};

template <class Timing>
void replace_blocks(const malloc_job& job, const size_table& sizes, worker& own, worker& neighbour,
                    random_stream random) {
  const auto slots = static_cast<std::uint32_t>(own.blocks.size());
  const bool alone = &own == &neighbour;
  const auto remote = static_cast<std::uint64_t>(job.remote_share * 65536);
  const auto drop = [&](void* block) { Timing::free(own, [&] { std::free(block); }); };
  for (std::uint64_t i = 0; i < job.operations; ++i) {
    const std::uint64_t drawn = random.next();
    void*& block = own.blocks[random_stream::scale(drawn >> 32, slots)];
    const bool send = !alone && (drawn & 0xffff) < remote;
    if (block && !(send && neighbour.inbox.push(block))) drop(block);
    if (void* given = own.inbox.pop()) drop(given);
    const std::uint32_t bytes = sizes[own.drawn++];
    block = Timing::malloc(own, [&] { return std::malloc(bytes); });
    touch_pages(there(block), bytes);
  }
}

// What two reads of the counter with nothing in between take.
double empty_ticks() {
  latency_histogram nothing;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t start = read_ticks();
    nothing.add(read_ticks() - start);
  }
  return nothing.quantile(0.5);
}

void report_latency(const latency_histogram& all, double empty, double seconds_per_tick,
                    std::span<const malloc_figure> names, malloc_readings& taken) {
  constexpr double shares[] = {0.5, 0.99, 0.999};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double ticks = std::max(0.0, all.quantile(shares[i]) - empty);
    taken.add(names[i], ticks * seconds_per_tick);
  }
}

}  // namespace

void mixed(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  const size_table sizes(job, own);
  const auto workers = own.make<worker>(job.threads);
  for (unsigned i = 0; i < job.threads; ++i) {
    workers[i].blocks = own.make<void*>(job.slots);
    workers[i].drawn = size_table::start_of(i);
  }
  const auto neighbour = [&](unsigned number) -> worker& {
    return workers[(number + 1) % job.threads];
  };
  const auto times = own.make<stretch>(job.threads);
  meeting& line = own.make<meeting>(1)[0];
  line.expect(job.threads);
  const double empty = empty_ticks();
  const double clock_start = now();
  const std::uint64_t ticks_start = read_ticks();
  run_team(
      own, job.threads,
      [&](unsigned number) {
        // All slots are full when the clock starts.
        worker& self = workers[number];
        for (void*& block : self.blocks) {
          const std::uint32_t bytes = sizes[self.drawn++];
          block = there(std::malloc(bytes));
          touch_pages(block, bytes);
        }
      },
      [&](unsigned number) {
        const random_stream random(job.seed + number + 1);
        times[number].start = now();
        replace_blocks<untimed>(job, sizes, workers[number], neighbour(number), random);
        times[number].end = now();
        line.wait();
        replace_blocks<timed>(job, sizes, workers[number], neighbour(number), random);
      });
  const double seconds_per_tick =
      (now() - clock_start) / static_cast<double>(read_ticks() - ticks_start);
  taken.add(malloc_figure::time, duration(times));
  add_resident_peak(own, taken);

  latency_histogram& mallocs = own.make<latency_histogram>(1)[0];
  latency_histogram& frees = own.make<latency_histogram>(1)[0];
  for (worker& one : workers) {
    mallocs.add(one.mallocs);
    frees.add(one.frees);
  }
  using enum malloc_figure;
  constexpr malloc_figure malloc_names[] = {malloc_p50, malloc_p99, malloc_p999};
  constexpr malloc_figure free_names[] = {free_p50, free_p99, free_p999};
  report_latency(mallocs, empty, seconds_per_tick, malloc_names, taken);
  report_latency(frees, empty, seconds_per_tick, free_names, taken);
}

}  // namespace mallard::lab::malloc_work
