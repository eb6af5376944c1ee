// Benchmark IV: threads that do nothing but allocate and free.
#include <algorithm>

#include "lab/kernels/strategy_bench.hpp"

namespace mallard::lab {
namespace {

std::vector<std::string> forms() {
  return {"own", "shared", "handoff"};
}

sharing form_at(const place& at) {
  return choice_of<sharing>(at, "form", forms());
}

contention_work work_at(const place& at) {
  // Fewer iterations than this last no longer than it takes to start the threads.
  constexpr std::int64_t least_iterations = 18;
  contention_work work;
  work.iterations = power_of(at, "iterations");
  work.rounds = power(2, std::max<std::int64_t>(0, least_iterations - at.number("iterations")));
  work.block_bytes = power_of(at, "block");
  work.threads = static_cast<unsigned>(at.number("threads"));
  return work;
}

}  // namespace

bench make_contention() {
  return {
      .name = "contention",
      .summary = "Benchmark IV: threads that do nothing but allocate and free",
      .title = "Contention: many threads at once",
      .contenders = strategies_of("AS1-AS3,AS5,AS7,AS9,AS11,AS13,sync,mutex"),
      .axes = {words("form", forms(), "all",
                     "own: an allocator for each thread, shared: one for all, handoff: one for "
                     "all, and another thread frees"),
               integers("iterations", "18", "log2 of a thread's allocations, like 15-19", 8, 40),
               integers("block", "8", "log2 of the bytes of a block", 3, 30),
               threads("1,2,4,8").quickly("1,2,4")},
      .kernel =
          [](const contender& who, const place& at) {
            return make_task(find_contention_kernel(column_of(who), form_at(at)), work_at(at));
          },
      .measures = {time_measure(), peak_measure()},
      .figures = {{.title = "ns per allocation of a thread",
                   .measure = "time",
                   .scale = 1e9,
                   .per =
                       [](const place& at) {
                         return static_cast<double>(power_of(at, "iterations"));
                       }}},
      .table = {.tables = {"form"}, .rows = {"iterations", "block", "threads"}},
      .expected_seconds =
          [](const place& at) {
            const contention_work work = work_at(at);
            return 50e-9 * static_cast<double>(work.iterations * work.rounds) *
                   waves_of(at.number("threads"));
          },
      // Handing over takes pairs.
      .accept =
          [](place& at) {
            return form_at(at) != sharing::handoff || at.number("threads") % 2 == 0;
          },
      .limits_memory = true,
  };
}

}  // namespace mallard::lab
