// Memory: producers allocate for their consumers, who free; what the process has of the machine's
// memory is sampled as the work goes on.
#include <algorithm>
#include <atomic>

#include "lab/malloc_work/kernels.hpp"

namespace mallard::lab::malloc_work {
namespace {

// Blocks of one producer for one consumer.
struct buffer {
  std::span<void*> blocks;
  std::uint64_t first_size = 0;
  alignas(128) std::atomic<std::uint64_t> filled{0};
};

// What a thread asked for less what it freed; only the thread itself writes it.
struct alignas(128) balance {
  std::atomic<std::int64_t> bytes{0};
  void add(std::int64_t more) {
    bytes.store(bytes.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

struct point {
  double elapsed = 0;
  double requested = 0;
  double resident = 0;
  address_space space;
};

double as_double(std::uint64_t value) {
  return static_cast<double>(value);
}

// Counts operations and samples at equal shares of them, in the thread whose operation it was.
class sampler {
 public:
  sampler(own_memory& own, std::uint64_t operations, unsigned threads)
      : own_(own),
        operations_(operations),
        balances_(own.make<balance>(threads)),
        points_(own.make<point>(memory_points)) {}

  // By the main thread, before anything is allocated and after everything is freed.
  void start() {
    start_ = now();
    sample(0);
  }
  void end() { sample(memory_points - 1); }

  balance& balance_of(unsigned thread) { return balances_[thread]; }

  // Few threads come this way, every so many operations.
  void note(std::uint64_t more) {
    const std::uint64_t before = done_.fetch_add(more, std::memory_order_relaxed);
    // The last share is sampled when all are done.
    const std::uint64_t last = std::min<std::uint64_t>(share(before + more), memory_points - 2);
    for (std::uint64_t one = share(before) + 1; one <= last; ++one) sample(one);
  }

  std::span<const point> points() const { return points_; }

 private:
  std::uint64_t share(std::uint64_t done) const { return done * (memory_points - 1) / operations_; }

  void sample(std::size_t at) {
    point& here = points_[at];
    here.elapsed = now() - start_;
    std::int64_t sum = 0;
    for (const balance& one : balances_) sum += one.bytes.load(std::memory_order_relaxed);
    here.requested = static_cast<double>(std::max<std::int64_t>(0, sum));
    here.resident = as_double(resident_bytes(own_));
    here.space = read_address_space(own_);
  }

  own_memory& own_;
  std::uint64_t operations_;
  std::span<balance> balances_;
  std::span<point> points_;
  double start_ = 0;
  alignas(128) std::atomic<std::uint64_t> done_{0};
};

// Tells the sampler now and then, so that threads do not wait for its counter.
class tally {
 public:
  tally(sampler& to, balance& own) : to_(to), own_(own) {}
  ~tally() { to_.note(count_); }
  tally(const tally&) = delete;
  tally& operator=(const tally&) = delete;

  void add(std::int64_t bytes) {
    own_.add(bytes);
    if (++count_ < 64) return;
    to_.note(count_);
    count_ = 0;
  }

 private:
  sampler& to_;
  balance& own_;
  std::uint64_t count_ = 0;
};

void produce(std::span<buffer> buffers, const size_table& sizes, tally& counted) {
  for (std::uint64_t i = 0; i < buffers[0].blocks.size(); ++i) {
    for (buffer& one : buffers) {
      const std::uint32_t bytes = sizes[one.first_size + i];
      one.blocks[i] = there(std::malloc(bytes));
      increment(one.blocks[i]);
      one.filled.store(i + 1, std::memory_order_release);
      counted.add(bytes);
    }
  }
}

// Frees in rounds, each when so many more have been allocated.
void consume(buffer& from, const size_table& sizes, std::uint64_t round, tally& counted) {
  const std::uint64_t all = from.blocks.size();
  for (std::uint64_t i = 0; i < all;) {
    const std::uint64_t wanted = std::min(all, i + round);
    while (from.filled.load(std::memory_order_acquire) < wanted) sched_yield();
    for (; i < wanted; ++i) {
      std::free(from.blocks[i]);
      counted.add(-std::int64_t{sizes[from.first_size + i]});
    }
  }
}

double dynamic_bytes(const address_space& space) {
  return as_double(space.heap + space.mmap);
}

// What the process had before the first operation is taken off the totals.
void report(std::span<const point> points, malloc_readings& taken) {
  const double base = dynamic_bytes(points[0].space);
  const auto grown = [&](const point& one) {
    return std::max(0.0, dynamic_bytes(one.space) - base);
  };
  double peak_rss = 0;
  double peak_dynamic = 0;
  for (const point& one : points) {
    peak_rss = std::max(peak_rss, one.resident);
    peak_dynamic = std::max(peak_dynamic, grown(one));
  }
  taken.add(malloc_figure::peak_rss, peak_rss);
  taken.add(malloc_figure::end_rss, points.back().resident);
  taken.add(malloc_figure::peak_dynamic, peak_dynamic);
  taken.add(malloc_figure::end_dynamic, grown(points.back()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const point& one = points[i];
    const auto add = [&](malloc_figure what, double value) { taken.add(what, value, i + 1); };
    add(malloc_figure::elapsed, one.elapsed);
    add(malloc_figure::requested, one.requested);
    add(malloc_figure::heap, as_double(one.space.heap));
    add(malloc_figure::mmap, as_double(one.space.mmap));
    add(malloc_figure::mmap_so, as_double(one.space.mmap_so));
    add(malloc_figure::reserved_none, as_double(one.space.reserved_none));
    add(malloc_figure::total_dynamic, grown(one));
    add(malloc_figure::total_dynamic_thesis,
        as_double(one.space.heap + one.space.mmap + one.space.mmap_so));
    add(malloc_figure::rss, one.resident);
  }
}

}  // namespace

void memory(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  const size_table sizes(job, own);
  const unsigned threads = job.threads * (1 + job.consumers);
  const auto buffers = own.make<buffer>(job.threads * job.consumers);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    buffers[i].blocks = own.make<void*>(job.operations);
    buffers[i].first_size = size_table::start_of(static_cast<unsigned>(i));
  }
  sampler samples(own, 2 * job.operations * buffers.size(), threads);
  meeting& all_here = own.make<meeting>(1)[0];
  all_here.expect(threads);
  const team_times times = run_team(
      own, threads,
      [&](unsigned number) {
        // When all threads have their stacks, and none has allocated.
        all_here.wait();
        if (number == 0) samples.start();
      },
      [&](unsigned number) {
        tally counted(samples, samples.balance_of(number));
        if (number < job.threads) {
          produce(buffers.subspan(number * job.consumers, job.consumers), sizes, counted);
        } else {
          consume(buffers[number - job.threads], sizes, job.batch, counted);
        }
      });
  samples.end();
  taken.add(malloc_figure::time, times.work);
  report(samples.points(), taken);
}

}  // namespace mallard::lab::malloc_work
