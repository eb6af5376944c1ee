// Memory: producers allocate blocks that their consumers free; the process's memory is sampled
// during the work.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "lab/bench/bench.hpp"
#include "lab/bench/plan.hpp"
#include "lab/mallocs/malloc_axes.hpp"
#include "lab/mallocs/malloc_kernel.hpp"
#include "lab/mallocs/malloc_page.hpp"
#include "lab/mallocs/team.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

using namespace mallocs;

// The number of samples.
constexpr unsigned memory_points = 60;

struct memory_work {
  unsigned threads = 1;          // producers
  unsigned consumers = 1;        // for each producer
  std::uint64_t operations = 0;  // blocks in each buffer
  std::uint64_t batch = 1;       // allocated before any is freed
  std::uint64_t seed = 1;
  size_mix sizes;
};

// The blocks of one producer for one consumer.
struct buffer {
  std::span<void*> blocks;
  std::uint64_t first_size = 0;
  alignas(128) std::atomic<std::uint64_t> filled{0};
};

// Bytes that a thread has allocated minus those it has freed. Only the thread itself writes it.
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

// Counts operations, and samples at equal distances, in the thread that reaches one.
class sampler {
 public:
  sampler(own_memory& own, std::uint64_t operations, unsigned threads)
      : own_(own),
        operations_(operations),
        balances_(own.make<balance>(threads)),
        points_(own.make<point>(memory_points)) {}

  // Called by the main thread: start() before anything is allocated, end() after everything is
  // freed.
  void start() {
    start_ = now();
    sample(0);
  }
  void end() { sample(memory_points - 1); }

  balance& balance_of(unsigned thread) { return balances_[thread]; }

  // Called by each thread only after many operations.
  void note(std::uint64_t more) {
    const std::uint64_t before = done_.fetch_add(more, std::memory_order_relaxed);
    // The last sample is taken at the end.
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

// Counts locally and tells the sampler now and then, so that threads do not contend for its
// counter.
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

// Frees in rounds, each after so many further allocations.
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

// Totals exclude the process's memory before the first operation.
void report(std::span<const point> points, readings& taken) {
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
  taken.add("peak_rss", peak_rss);
  taken.add("end_rss", points.back().resident);
  taken.add("peak_dynamic", peak_dynamic);
  taken.add("end_dynamic", grown(points.back()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const point& one = points[i];
    const auto add = [&](const char* what, double value) {
      taken.add(what, value, static_cast<std::int64_t>(i));
    };
    add("elapsed", one.elapsed);
    add("requested", one.requested);
    add("heap", as_double(one.space.heap));
    add("mmap", as_double(one.space.mmap));
    add("mmap_so", as_double(one.space.mmap_so));
    add("reserved_none", as_double(one.space.reserved_none));
    add("total_dynamic", grown(one));
    add("total_dynamic_thesis", as_double(one.space.heap + one.space.mmap + one.space.mmap_so));
    add("rss", one.resident);
  }
}

void run(const memory_work& job, own_memory& own, readings& taken) {
  const size_table sizes(job.sizes, job.seed, own);
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
        // All threads have their stacks, and none has allocated.
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
  taken.add("time", times.work);
  report(samples.points(), taken);
}

const executed_kernel kernel("memory", run_kernel<memory_work, run>);

// Parses "4x4": producers, and consumers for each.
std::vector<place> parse_teams(std::string_view option, std::string_view text) {
  std::vector<place> teams;
  for (const std::string& item : split_list(text)) {
    const auto cross = item.find('x');
    if (cross == item.npos) {
      throw usage_error(
          fmt::format("{}: '{}' is not PRODUCERSxCONSUMERS, like 1x1 or 4x4", option, item));
    }
    const auto count = [&](const std::string& part) {
      return static_cast<std::int64_t>(parse_integers(option, part, 1, 64).at(0));
    };
    teams.push_back({{"producers", count(item.substr(0, cross))},
                     {"consumers", count(item.substr(cross + 1))}});
  }
  return teams;
}

std::uint64_t blocks_of_buffer(const place& at) {
  const std::uint64_t objects = count_at(at, "objects");
  return at.word("objects-of") == "producer" ? scaled(objects, 1 / at.real("consumers")) : objects;
}

task work_at(const contender&, const place& at) {
  memory_work work;
  work.threads = threads_at(at, "producers");
  work.consumers = threads_at(at, "consumers");
  work.operations = blocks_of_buffer(at);
  work.batch = count_at(at, "round");
  work.seed = count_at(at, "seed");
  work.sizes = sizes_at(at);
  return make_task("memory", work);
}

figure_kind mebibytes(std::string title, std::string measure) {
  return {.title = std::move(title), .measure = std::move(measure), .scale = 1.0 / (1 << 20)};
}

}  // namespace

bench make_memory() {
  axis teams = integers("teams", "1x1,4x4", "Producers, and consumers of each", 1, 64);
  teams.read = parse_teams;
  axis round =
      integers("round", "all", "Blocks that are in a buffer before any is freed", 1, 100'000'000);
  const axis_text all = [](const place& before) { return to_string(before.at("objects")); };
  std::vector<axis> axes = {
      teams, integers("objects", "100000", "Blocks of each buffer", 1, 100'000'000).scaled(),
      words("objects-of", {"buffer", "producer"}, "buffer",
            "That number is for each buffer, or for each producer, whose buffers share it")
          .parameter(),
      round.defaults(all).said("all").parameter()};
  for (axis& one : size_axes()) axes.push_back(std::move(one));
  return {
      .name = "memory",
      .summary = "Mallocs: the memory that they hold for producers and consumers, over time",
      .title = "Memory: producers and consumers",
      .contenders = {},
      .axes = std::move(axes),
      .kernel = work_at,
      .measures = {{"peak_rss", "B", "Resident, at most"},
                   {"end_rss", "B", "Resident, at the end"},
                   {"peak_dynamic", "B", "Address space, at most"},
                   {"end_dynamic", "B", "Address space, at the end"},
                   time_kind(),
                   {"elapsed", "s", "Time since the start"},
                   {"requested", "B", "Requested by the program"},
                   {"heap", "B", "Heap area (sbrk)"},
                   {"mmap", "B", "Mapped (mmap)"},
                   {"mmap_so", "B", "Files mapped"},
                   {"reserved_none", "B", "Reserved, not accessible"},
                   {"total_dynamic", "B", "Heap area and mapped"},
                   {"total_dynamic_thesis", "B", "Heap area, mapped and files"},
                   {"rss", "B", "Resident pages"}},
      .main = "peak_rss",
      .figures = {mebibytes("RSS peak", "peak_rss"),
                  mebibytes("RSS end", "end_rss"),
                  mebibytes("dyn.peak", "peak_dynamic"),
                  mebibytes("dyn. end", "end_dynamic"),
                  {.title = "time", .measure = "time", .scale = 1e3}},
      .table = {.columns = across::figures, .units = "MiB and ms"},
      .expected_seconds =
          [](const place& at) {
            return 300e-9 * static_cast<double>(blocks_of_buffer(at)) * at.real("producers") *
                   at.real("consumers");
          },
      .parts = {.name = "point",
                .value = [](std::int64_t part) -> coordinate { return part; },
                .series = "memory-series",
                .series_main = "rss"},
      .scaled = "blocks",
      .quick_scale = "0.2",
      .page =
          {.section = mallocs_section(),
           .cards = {{.title = "Memory over time",
                      .hint = "Producers allocate all objects, consumers free them. The overhead "
                              "of an allocator is what it holds beyond the bytes requested. "
                              "Resident pages are what the system really provides; "
                              "the others are parts of the address space, as in the thesis.",
                      .of_series = true,
                      .along = "point",
                      .along_title = "Operations done",
                      .along_unit = "share",
                      .measures = {"rss", "total_dynamic", "heap", "mmap", "requested", "mmap_so",
                                   "reserved_none", "total_dynamic_thesis", "elapsed"},
                      .reference = "requested",
                      .linear = true,
                      .height = 400},
                     {.title = "Memory at the peak and at the end",
                      .along_title = "When",
                      .groups = {{"Resident pages", {"peak_rss", "end_rss"}},
                                 {"Address space", {"peak_dynamic", "end_dynamic"}}},
                      .bars = true}}},
  };
}

}  // namespace mallard::lab
