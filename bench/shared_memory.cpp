// Purpose: what allocating from shared memory costs, against our multipool by its abstract base and
// Boost.Interprocess's managed_shared_memory, in one process and in two at once; and its goals.
//
//   mallard_shared_memory [repetitions]
//
// Each repetition measures all of them in turn, in a fresh process; a figure is the median. Exit
// code 1 when a goal is missed.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <string>
#include <vector>

#include "mallard/memory/shared.hpp"
#include "mallard/multipool.hpp"
#include "measured.hpp"

#if __has_include(<boost/interprocess/managed_shared_memory.hpp>)
#include <boost/interprocess/managed_shared_memory.hpp>
#define MALLARD_HAS_INTERPROCESS
#endif

namespace {

using mallard::bench::laundered;
using mallard::bench::median;
using mallard::bench::now;

constexpr std::size_t limit_bytes = std::size_t{64} << 20;
constexpr std::size_t live_blocks = 1000;
constexpr long operations = 100'000;

// Small blocks of several sizes, the same for all.
std::size_t size_of(long i) {
  constexpr std::array<std::size_t, 8> sizes = {16, 24, 32, 40, 64, 100, 160, 256};
  return sizes[static_cast<std::size_t>(i) % sizes.size()];
}

template <class Resource>
struct by_base {
  Resource resource;
  std::pmr::memory_resource* base = laundered<std::pmr::memory_resource>(&resource);
  void* allocate(std::size_t bytes) { return base->allocate(bytes, 8); }
  void deallocate(void* p, std::size_t bytes) { base->deallocate(p, bytes, 8); }
};

struct shared_by_base {
  mallard::shared_resource resource{{.limit_bytes = limit_bytes}};
  std::pmr::memory_resource* base = laundered<std::pmr::memory_resource>(&resource);
  void* allocate(std::size_t bytes) { return base->allocate(bytes, 8); }
  void deallocate(void* p, std::size_t bytes) { base->deallocate(p, bytes, 8); }
};

#ifdef MALLARD_HAS_INTERPROCESS
struct interprocess {
  std::string name = "mallard_bench_" + std::to_string(getpid());
  boost::interprocess::managed_shared_memory memory{boost::interprocess::create_only, name.c_str(),
                                                    limit_bytes};
  ~interprocess() { boost::interprocess::shared_memory_object::remove(name.c_str()); }
  void* allocate(std::size_t bytes) { return memory.allocate(bytes); }
  void deallocate(void* p, std::size_t) { memory.deallocate(p); }
};
#endif

// A block is given back as soon as it was got.
template <class Memory>
double pairs(Memory& memory) {
  const double start = now();
  for (long i = 0; i < operations; ++i) {
    const std::size_t bytes = size_of(i);
    memory.deallocate(laundered(memory.allocate(bytes)), bytes);
  }
  return (now() - start) / static_cast<double>(operations);
}

// A thousand live blocks, replaced in an order that is not theirs.
template <class Memory>
double churn(Memory& memory) {
  std::array<void*, live_blocks> live{};
  for (std::size_t i = 0; i < live_blocks; ++i) {
    live[i] = memory.allocate(size_of(static_cast<long>(i)));
  }
  const double start = now();
  for (long i = 0; i < operations; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * 613 % live_blocks;
    const std::size_t bytes = size_of(static_cast<long>(at));
    memory.deallocate(live[at], bytes);
    live[at] = laundered(memory.allocate(bytes));
  }
  const double result = (now() - start) / static_cast<double>(operations);
  for (std::size_t i = 0; i < live_blocks; ++i) {
    memory.deallocate(live[i], size_of(static_cast<long>(i)));
  }
  return result;
}

struct results {
  std::atomic<int> ready{0};
  double pairs[2];
  double churn[2];
};

// The mean of `processes` that do the same on the same memory, at the same time.
template <class Memory>
void measure(unsigned processes, std::vector<double>& pairs_ns, std::vector<double>& churn_ns) {
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& out = *::new (page) results;
  const auto run = [&](Memory& memory, unsigned i) {
    ++out.ready;
    while (out.ready < static_cast<int>(processes)) continue;
    pairs(memory);  // warm
    out.pairs[i] = pairs(memory);
    out.churn[i] = churn(memory);
  };
  const pid_t measured = fork();
  if (measured == 0) {
    auto* const memory = new Memory;
    const pid_t other = processes == 2 ? fork() : -1;
    if (other == 0) {
      run(*memory, 1);
      _exit(0);
    }
    run(*memory, 0);
    if (other > 0) waitpid(other, nullptr, 0);
    delete memory;
    _exit(0);
  }
  waitpid(measured, nullptr, 0);
  const auto mean = [&](const double(&each)[2]) {
    return processes == 2 ? (each[0] + each[1]) / 2 : each[0];
  };
  pairs_ns.push_back(mean(out.pairs));
  churn_ns.push_back(mean(out.churn));
  munmap(page, 4096);
}

bool missed = false;

void judge(const char* what, double left, double right, double at_most) {
  const bool reached = left <= right * at_most;
  missed = missed || !reached;
  std::printf("  %-58s %5.2f of %4.2f  %s\n", what, left / right, at_most,
              reached ? "reached" : "MISSED");
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 15;
  if (repetitions < 1 || argc > 2) {
    std::fprintf(stderr, "usage: %s [repetitions]\n", argv[0]);
    return 2;
  }
  struct series {
    std::vector<double> pairs;
    std::vector<double> churn;
  };
  series pool;
  series ours[2];
  series theirs[2];
  for (int i = 0; i < repetitions; ++i) {
    measure<by_base<mallard::multipool_resource>>(1, pool.pairs, pool.churn);
    for (unsigned n = 0; n < 2; ++n) {
      measure<shared_by_base>(n + 1, ours[n].pairs, ours[n].churn);
#ifdef MALLARD_HAS_INTERPROCESS
      measure<interprocess>(n + 1, theirs[n].pairs, theirs[n].churn);
#endif
    }
  }
  std::printf("ns of processor time per block got and given back, medians of %d\n", repetitions);
  std::printf("  %-44s %8s %8s\n", "", "pairs", "churn");
  const auto print = [](const char* name, const series& s) {
    if (!s.pairs.empty())
      std::printf("  %-44s %8.1f %8.1f\n", name, median(s.pairs), median(s.churn));
  };
  print("multipool_resource by base", pool);
  print("shared_resource by base", ours[0]);
  print("shared_resource by base, two processes", ours[1]);
  print("managed_shared_memory", theirs[0]);
  print("managed_shared_memory, two processes", theirs[1]);
  std::printf("goals\n");
  judge("pairs: twice the multipool's time", median(ours[0].pairs), median(pool.pairs), 2);
  judge("churn: twice the multipool's time", median(ours[0].churn), median(pool.churn), 2);
  if (!theirs[0].pairs.empty()) {
    constexpr double third = 1 / 3.0;
    judge("pairs: a third of Boost's", median(ours[0].pairs), median(theirs[0].pairs), third);
    judge("churn: a third of Boost's", median(ours[0].churn), median(theirs[0].churn), third);
    judge("pairs in two processes: a third of Boost's", median(ours[1].pairs),
          median(theirs[1].pairs), third);
    judge("churn in two processes: a third of Boost's", median(ours[1].churn),
          median(theirs[1].churn), third);
  }
  return missed ? 1 : 0;
}
