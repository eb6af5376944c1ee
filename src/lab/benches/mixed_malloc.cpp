// Mixed: replaces random blocks of all sizes, some freed by another thread; first at full speed,
// then with every call timed.
#include <algorithm>
#include <cstdlib>

#include "lab/bench/bench.hpp"
#include "lab/mallocs/block_ring.hpp"
#include "lab/mallocs/latency_histogram.hpp"
#include "lab/mallocs/malloc_axes.hpp"
#include "lab/mallocs/malloc_kernel.hpp"
#include "lab/mallocs/malloc_page.hpp"
#include "lab/mallocs/team.hpp"

namespace mallard::lab {
namespace {

using namespace mallocs;

struct mixed_malloc_work {
  unsigned threads = 1;
  std::uint64_t slots = 0;       // live ones of each thread
  std::uint64_t operations = 0;  // of each thread
  double remote_share = 0;       // of all frees
  std::uint64_t seed = 1;
  size_mix sizes;
};

struct alignas(128) worker {
  std::span<void*> blocks;
  block_ring inbox;  // blocks to be freed here
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
void replace_blocks(const mixed_malloc_work& job, const size_table& sizes, worker& own,
                    worker& neighbour, random_stream random) {
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

// Returns: the ticks between two immediate readings of the counter.
double empty_ticks() {
  latency_histogram nothing;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t start = read_ticks();
    nothing.add(read_ticks() - start);
  }
  return nothing.quantile(0.5);
}

void report_latency(const latency_histogram& all, double empty, double seconds_per_tick,
                    std::span<const char* const> names, readings& taken) {
  constexpr double shares[] = {0.5, 0.99, 0.999, 1};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double ticks = std::max(0.0, all.quantile(shares[i]) - empty);
    taken.add(names[i], ticks * seconds_per_tick);
  }
}

void run(const mixed_malloc_work& job, own_memory& own, readings& taken) {
  const size_table sizes(job.sizes, job.seed, own);
  const auto workers = own.make<worker>(job.threads);
  for (unsigned i = 0; i < job.threads; ++i) {
    workers[i].blocks = own.make<void*>(job.slots);
    workers[i].drawn = size_table::start_of(i);
  }
  const auto neighbour = [&](unsigned number) -> worker& {
    return workers[(number + 1) % job.threads];
  };
  const auto fills = own.make<stretch>(job.threads);
  const auto times = own.make<stretch>(job.threads);
  meeting& line = own.make<meeting>(1)[0];
  line.expect(job.threads);
  const double empty = empty_ticks();
  const double clock_start = now();
  const std::uint64_t ticks_start = read_ticks();
  run_team(
      own, job.threads,
      [&](unsigned number) {
        worker& self = workers[number];
        fills[number].start = now();
        for (void*& block : self.blocks) {
          const std::uint32_t bytes = sizes[self.drawn++];
          block = there(std::malloc(bytes));
          touch_pages(block, bytes);
        }
        fills[number].end = now();
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
  taken.add("time", duration(times));
  taken.add("fill", duration(fills));
  add_resident_peak(own, taken);

  latency_histogram& mallocs = own.make<latency_histogram>(1)[0];
  latency_histogram& frees = own.make<latency_histogram>(1)[0];
  for (worker& one : workers) {
    mallocs.add(one.mallocs);
    frees.add(one.frees);
  }
  constexpr const char* malloc_names[] = {"malloc_p50", "malloc_p99", "malloc_p999",
                                          "malloc_longest"};
  constexpr const char* free_names[] = {"free_p50", "free_p99", "free_p999", "free_longest"};
  report_latency(mallocs, empty, seconds_per_tick, malloc_names, taken);
  report_latency(frees, empty, seconds_per_tick, free_names, taken);
}

const executed_kernel kernel("mixed-malloc", run_kernel<mixed_malloc_work, run>);

task work_at(const contender&, const place& at) {
  mixed_malloc_work work;
  work.threads = threads_at(at);
  work.slots = count_at(at, "live");
  work.operations = count_at(at, "objects");
  work.remote_share = at.real("remote");
  work.seed = count_at(at, "seed");
  work.sizes = range_between(at, "low", "high", /*log_uniform=*/true);
  return make_task("mixed-malloc", work);
}

figure_kind nanoseconds(std::string title, std::string measure) {
  return {.title = std::move(title), .measure = std::move(measure), .scale = 1e9};
}

}  // namespace

bench make_mixed_malloc() {
  return {
      .name = "mixed-malloc",
      .summary = "Mallocs: blocks of all sizes replaced at random, and how long calls take",
      .title = "Blocks of all sizes, some freed by another thread",
      .contenders = {},
      .axes = {thread_counts("1,2"),
               integers("live", "4000", "Live blocks of each thread", 1, 100'000'000),
               smallest_size("low", "16"), largest_size("high", "65536"),
               integers("objects", "1000000", "Blocks that each thread replaces, twice over", 1,
                        most_objects)
                   .scaled()
                   .parameter(),
               real("remote", "0.125", "Share of the blocks that another thread frees", 0, 1)},
      .kernel = work_at,
      .measures = {time_kind(),
                   {"fill", "s", "fill"},
                   {"malloc_p50", "s", "malloc p50"},
                   {"malloc_p99", "s", "malloc p99"},
                   {"malloc_p999", "s", "malloc p99.9"},
                   {"malloc_longest", "s", "malloc longest"},
                   {"free_p50", "s", "free p50"},
                   {"free_p99", "s", "free p99"},
                   {"free_p999", "s", "free p99.9"},
                   {"free_longest", "s", "free longest"},
                   resident_kind()},
      .figures = {{.title = "time, ms", .measure = "time", .scale = 1e3},
                  {.title = "all slots filled for the first time, before that, ms",
                   .measure = "fill",
                   .scale = 1e3},
                  nanoseconds("malloc, 99.9th percentile, ns", "malloc_p999"),
                  nanoseconds("free, 99.9th percentile, ns", "free_p999"),
                  nanoseconds("longest malloc, ns", "malloc_longest"),
                  nanoseconds("longest free, ns", "free_longest"),
                  resident_figure()},
      .table = by_threads(),
      .expected_seconds =
          [](const place& at) { return spread(threads_at(at), 1.5e-6 * at.real("objects")); },
      .scaled = "blocks",
      .quick_scale = "0.05",
      .page = {.section = mallocs_section(),
               .cards = {lines_by_threads({"time", "rss"}),
                         {.title = "Latency of single calls",
                          .hint = "Half of the calls are faster than p50, all but one in a hundred "
                                  "than p99, all but one in a thousand than p99.9. The cost of "
                                  "reading the clock is subtracted, so a call may take 0.",
                          .half = true,
                          .along_title = "Call and percentile",
                          .groups = {{"All calls",
                                      {"malloc_p50", "malloc_p99", "malloc_p999", "free_p50",
                                       "free_p99", "free_p999"}}},
                          .bars = true,
                          .logarithmic = true}},
               .headlines = {own_malloc_gain()}},
  };
}

}  // namespace mallard::lab
