// Speed: chains of routines, each called for all blocks before the next.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "lab/bench/bench.hpp"
#include "lab/mallocs/malloc_axes.hpp"
#include "lab/mallocs/malloc_kernel.hpp"
#include "lab/mallocs/malloc_page.hpp"
#include "lab/mallocs/team.hpp"

namespace mallard::lab {
namespace {

using namespace mallocs;

enum class routine { none, malloc, realloc, free, calloc };

struct speed_chain {
  const char* name;
  std::array<routine, 4> routines;
};

// In the chapter's order.
constexpr std::array<speed_chain, 12> speed_chains = {{
    {"malloc", {routine::malloc}},
    {"realloc", {routine::realloc}},
    {"free", {routine::free}},
    {"calloc", {routine::calloc}},
    {"malloc-free", {routine::malloc, routine::free}},
    {"realloc-free", {routine::realloc, routine::free}},
    {"calloc-free", {routine::calloc, routine::free}},
    {"malloc-realloc", {routine::malloc, routine::realloc}},
    {"calloc-realloc", {routine::calloc, routine::realloc}},
    {"malloc-realloc-free", {routine::malloc, routine::realloc, routine::free}},
    {"calloc-realloc-free", {routine::calloc, routine::realloc, routine::free}},
    {"malloc-realloc-free-calloc",
     {routine::malloc, routine::realloc, routine::free, routine::calloc}},
}};

struct speed_work {
  unsigned threads = 1;
  std::uint64_t operations = 0;  // blocks of each thread
  std::uint64_t warm_ups = 0;    // rounds over all blocks
  std::uint32_t chains = 0;      // a bit for each of speed_chains
  bool same_size = false;        // realloc to the block's own size
  std::uint64_t seed = 1;
  size_mix sizes;
};

// The blocks of one thread.
struct block_set {
  std::span<void*> blocks;
  const size_table& sizes;
  std::uint64_t first;  // index of the first size

  void call_malloc() const {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i] = there(std::malloc(sizes[first + i]));
    }
  }
  void call_calloc() const {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i] = there(std::calloc(1, sizes[first + i]));
    }
  }
  // To the blocks' own sizes, or to the sizes half a table further.
  void call_realloc(bool same_size) const {
    const std::uint64_t from = same_size ? first : first + size_table::entries / 2 + 1;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i] = there(std::realloc(blocks[i], sizes[from + i]));
    }
  }
  void call_free() const {
    for (void* block : blocks) std::free(block);
  }

  void call(routine what, bool same_size) const {
    switch (what) {
      case routine::malloc:
        return call_malloc();
      case routine::realloc:
        return call_realloc(same_size);
      case routine::free:
        return call_free();
      case routine::calloc:
        return call_calloc();
      case routine::none:
        return;
    }
  }
};

unsigned calls_in(const speed_chain& chain) {
  unsigned calls = 0;
  for (const routine one : chain.routines) calls += one != routine::none;
  return calls;
}

bool needs_blocks(const speed_chain& chain) {
  return chain.routines[0] == routine::realloc || chain.routines[0] == routine::free;
}

bool leaves_blocks(const speed_chain& chain) {
  return chain.routines[calls_in(chain) - 1] != routine::free;
}

// Called by the first thread between two chains.
void report(const speed_work& job, const own_memory& own, std::span<const stretch> times,
            std::size_t chain, readings& taken) {
  const auto part = static_cast<std::int64_t>(chain);
  const double seconds = duration(times);
  // Counts one thread's calls: threads that do not hinder each other take as long as one.
  const double calls = static_cast<double>(job.operations) * calls_in(speed_chains[chain]);
  taken.add("time", seconds, part);
  taken.add("per_op", seconds / calls, part);
  add_resident_peak(own, taken, part);
}

void run(const speed_work& job, own_memory& own, readings& taken) {
  const size_table sizes(job.sizes, job.seed, own);
  const auto blocks = own.make<std::span<void*>>(job.threads);
  for (auto& one : blocks) one = own.make<void*>(job.operations);
  const auto times = own.make<stretch>(job.threads);
  meeting& line = own.make<meeting>(1)[0];
  line.expect(job.threads);
  run_team(
      own, job.threads,
      [&](unsigned number) {
        const block_set set{blocks[number], sizes, size_table::start_of(number)};
        for (std::uint64_t i = 0; i < job.warm_ups; ++i) set.call_malloc(), set.call_free();
      },
      [&](unsigned number) {
        const block_set set{blocks[number], sizes, size_table::start_of(number)};
        for (std::size_t chain = 0; chain < speed_chains.size(); ++chain) {
          if ((job.chains >> chain & 1U) == 0) continue;
          const speed_chain& what = speed_chains[chain];
          if (number == 0) restart_peak();
          if (needs_blocks(what)) set.call_malloc();
          line.wait();
          times[number].start = now();
          for (const routine one : what.routines) set.call(one, job.same_size);
          times[number].end = now();
          line.wait();
          if (number == 0) report(job, own, times, chain, taken);
          if (leaves_blocks(what)) set.call_free();
          line.wait();
        }
      });
}

const executed_kernel kernel("speed", run_kernel<speed_work, run>);

std::vector<std::string> chain_names() {
  std::vector<std::string> names;
  for (const speed_chain& one : speed_chains) names.emplace_back(one.name);
  return names;
}

// The numbers of the chosen chains.
std::vector<std::int64_t> chains_at(const place& at) {
  const auto chosen = parse_names("--chains", at.word("chains"), chain_names());
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < speed_chains.size(); ++i) {
    const bool wanted =
        std::find(chosen.begin(), chosen.end(), speed_chains[i].name) != chosen.end();
    if (wanted) numbers.push_back(static_cast<std::int64_t>(i));
  }
  return numbers;
}

axis chains_axis() {
  axis made = words("chains", chain_names(), "all", "Like malloc-free,calloc-realloc-free");
  made.read = [](std::string_view option, std::string_view text) {
    const auto names = parse_names(option, text, chain_names());
    return std::vector<place>{{{"chains", fmt::format("{}", fmt::join(names, ","))}}};
  };
  return made.said("all 12").of_parts();
}

task work_at(const contender&, const place& at) {
  speed_work work;
  work.threads = threads_at(at);
  work.operations = count_at(at, "objects");
  work.warm_ups = count_at(at, "warm-up");
  for (const std::int64_t one : chains_at(at)) work.chains |= std::uint32_t{1} << one;
  work.same_size = at.word("realloc-sizes") == "same";
  work.seed = count_at(at, "seed");
  work.sizes = sizes_at(at);
  return make_task("speed", work);
}

// Shortens a chain's name, "malloc-realloc-free" to "m-r-f".
std::string short_name(const coordinate& chain) {
  const std::string name = to_string(chain);
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (i == 0 || name[i - 1] == '-') text += fmt::format("{}{}", i == 0 ? "" : "-", name[i]);
  }
  return text;
}

}  // namespace

bench make_speed() {
  std::vector<axis> axes = {
      thread_counts(),
      integers("objects", "100000", "Blocks of each thread", 1, 100'000'000).scaled(),
      chains_axis(),
      words("realloc-sizes", {"new", "same"}, "new",
            "Ask realloc for new (drawn) sizes, or the same")
          .parameter(),
      integers("warm-up", "1",
               "Times that all blocks are allocated and freed before the first chain, which else "
               "would bear the cold start",
               0, 1000)
          .parameter()};
  for (axis& one : size_axes()) axes.push_back(std::move(one));
  return {
      .name = "speed",
      .summary = "Mallocs: chains of malloc, calloc, realloc and free, each for all blocks in turn",
      .title = "Speed: chains of calls",
      .contenders = {},
      .axes = std::move(axes),
      .kernel = work_at,
      .measures = {{"per_op", "s", "Time of a call"}, time_kind(), resident_kind()},
      .main = "per_op",
      .figures = {{.title = "ns per call of a thread", .measure = "per_op", .scale = 1e9}},
      .table = {.columns = across::along,
                .along = "chain",
                .order = chain_names(),
                .head = short_name},
      .expected_seconds =
          [](const place& at) { return spread(threads_at(at), 2e-6 * at.real("objects")); },
      .parts = {.name = "chain",
                .value = [](std::int64_t part) -> coordinate {
                  return std::string(speed_chains.at(static_cast<std::size_t>(part)).name);
                },
                .expected = chains_at},
      .scaled = "blocks",
      .quick_scale = "0.2",
      .page = {.section = mallocs_section(),
               .cards = {{.hint = "Each call of a chain is made for all objects before the next: n "
                                  "times malloc, then n times free. Chains with calloc set the "
                                  "memory to zero.",
                          .along = "chain",
                          .measures = {"per_op", "time", "rss"},
                          .any_base = true,
                          .bars = true,
                          .logarithmic = true,
                          .height = 420}},
               .headlines = {own_malloc_gain()}},
  };
}

}  // namespace mallard::lab
