// Churn: threads replace random blocks among a few.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "lab/bench/bench.hpp"
#include "lab/mallocs/malloc_axes.hpp"
#include "lab/mallocs/malloc_kernel.hpp"
#include "lab/mallocs/malloc_page.hpp"
#include "lab/mallocs/team.hpp"

namespace mallard::lab {
namespace {

using namespace mallocs;

// The program's first access to a new block.
enum class first_touch { none, first_byte, all };

struct churn_work {
  unsigned threads = 1;
  std::uint64_t operations = 0;  // of each thread
  std::uint64_t spots = 0;
  first_touch touched = first_touch::first_byte;
  bool shared = true;  // one array of slots for all threads
  std::uint64_t seed = 1;
  size_mix sizes;
};

void touch(void* block, std::size_t bytes, first_touch how) {
  if (how == first_touch::first_byte) increment(block);
  if (how == first_touch::all) std::memset(block, 1, bytes);
}

// The state of one thread.
struct churner {
  const churn_work& job;
  const size_table& sizes;
  unsigned number;

  template <class Replace>
  void run(const Replace& replace) const {
    random_stream random(job.seed + number + 1);
    const auto spots = static_cast<std::uint32_t>(job.spots);
    const std::uint64_t first = size_table::start_of(number);
    for (std::uint64_t i = 0; i < job.operations; ++i) {
      replace(random.below(spots), sizes[first + i]);
    }
  }
};

// A slot belongs to the thread that has just exchanged its block, so no block is freed twice.
team_times churn_shared(const churn_work& job, own_memory& own, const size_table& sizes) {
  const auto spots = own.make<std::atomic<void*>>(job.spots);
  const team_times times = run_team(
      own, job.threads, [](unsigned) {},
      [&](unsigned number) {
        churner{job, sizes, number}.run([&](std::uint32_t spot, std::uint32_t bytes) {
          void* fresh = there(std::malloc(bytes));
          touch(fresh, bytes, job.touched);
          std::free(spots[spot].exchange(fresh, std::memory_order_acq_rel));
        });
      });
  for (auto& spot : spots) std::free(spot);
  return times;
}

team_times churn_private(const churn_work& job, own_memory& own, const size_table& sizes) {
  const auto all = own.make<std::span<void*>>(job.threads);
  for (auto& spots : all) spots = own.make<void*>(job.spots);
  const team_times times = run_team(
      own, job.threads, [](unsigned) {},
      [&](unsigned number) {
        const std::span<void*> spots = all[number];
        churner{job, sizes, number}.run([&](std::uint32_t spot, std::uint32_t bytes) {
          std::free(spots[spot]);
          spots[spot] = there(std::malloc(bytes));
          touch(spots[spot], bytes, job.touched);
        });
      });
  for (const auto& spots : all) {
    for (void* block : spots) std::free(block);
  }
  return times;
}

void run(const churn_work& job, own_memory& own, readings& taken) {
  const size_table sizes(job.sizes, job.seed, own);
  const processor_seconds before = read_processor_seconds();
  const team_times times =
      job.shared ? churn_shared(job, own, sizes) : churn_private(job, own, sizes);
  const processor_seconds after = read_processor_seconds();
  taken.add("time", times.work);
  taken.add("time_with_threads", times.whole);
  taken.add("user", after.user - before.user);
  taken.add("system", after.system - before.system);
  add_resident_peak(own, taken);
}

const executed_kernel kernel("churn", run_kernel<churn_work, run>);

task work_at(const contender&, const place& at) {
  churn_work work;
  work.threads = threads_at(at);
  work.operations = count_at(at, "objects");
  work.spots = count_at(at, "spots");
  const std::string& touched = at.word("touch");
  work.touched = touched == "none"    ? first_touch::none
                 : touched == "first" ? first_touch::first_byte
                                      : first_touch::all;
  work.shared = at.word("sharing") == "shared";
  work.seed = count_at(at, "seed");
  work.sizes = sizes_at(at);
  return make_task("churn", work);
}

}  // namespace

bench make_churn() {
  std::vector<axis> axes = {
      thread_counts(),
      integers("objects", "100000", "Blocks of each thread", 1, most_objects).scaled(),
      integers("spots", "16", "Blocks alive at a time", 1, 100'000'000),
      words("sharing", {"shared", "private"}, "shared",
            "The spots: shared by all threads, or private"),
      words("touch", {"none", "first", "all"}, "first",
            "Write to a new block: none, first (byte), all")
          .parameter()};
  for (axis& one : size_axes()) axes.push_back(std::move(one));
  return {
      .name = "churn",
      .summary = "Mallocs: threads replace random blocks among a few",
      .title = "Churn: blocks replaced at random",
      .contenders = {},
      .axes = std::move(axes),
      .kernel = work_at,
      .measures = {time_kind(),
                   {"time_with_threads", "s", "Time with starting the threads"},
                   {"user", "s", "User time"},
                   {"system", "s", "System time"},
                   resident_kind()},
      .figures = {{.title = "time, ms", .measure = "time", .scale = 1e3}, resident_figure()},
      .table = by_threads(),
      .expected_seconds =
          [](const place& at) { return spread(threads_at(at), 60e-9 * at.real("objects")); },
      .scaled = "blocks",
      .page = page_by_threads({"time", "time_with_threads", "user", "system", "rss"},
                              "Each thread frees a random one of a few blocks and allocates "
                              "another in its place."),
  };
}

}  // namespace mallard::lab
