// Speed: chains of routines, each called for all blocks before the next.
#include "lab/malloc_work/kernels.hpp"

namespace mallard::lab::malloc_work {
namespace {

// The blocks of one thread.
struct block_set {
  std::span<void*> blocks;
  const size_table& sizes;
  std::uint64_t first;  // of its sizes

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
  // To the sizes that they have, or to those of the next so many in the table.
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

// What the first thread notes between two chains.
void report(const malloc_job& job, const own_memory& own, std::span<const stretch> times,
            std::size_t chain, malloc_readings& taken) {
  const double seconds = duration(times);
  // Of one thread: threads that do not hinder each other take as long as one alone.
  const double calls = static_cast<double>(job.operations) * calls_in(speed_chains[chain]);
  taken.add(malloc_figure::time, seconds, chain);
  taken.add(malloc_figure::per_op, seconds / calls, chain);
  add_resident_peak(own, taken, chain);
}

}  // namespace

void speed(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  const size_table sizes(job, own);
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

}  // namespace mallard::lab::malloc_work
