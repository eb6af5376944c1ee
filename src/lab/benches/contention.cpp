// Benchmark IV: threads that only allocate and free.
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
  // Fewer iterations take no longer than starting the threads.
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
      // Handing over needs pairs of threads.
      .accept =
          [](place& at) {
            return form_at(at) != sharing::handoff || at.number("threads") % 2 == 0;
          },
      .limits_memory = true,
      .page =
          {.section =
               {.text = "Benchmark IV: each thread allocates a block, writes its first byte and "
                        "frees it, again and again. AS1 in seconds, the others in percent of it, "
                        "as the paper prints them. The original’s calls by abstract base were "
                        "bound statically; those measured here are virtual. If there are more "
                        "threads than cores, they wait for each other whatever the allocator.",
                .order = 40,
                .method = {{.title = "Contention",
                            .paragraphs =
                                {"In the original the calls by abstract base went to an object "
                                 "known to the compiler, so they were not virtual; those measured "
                                 "here are. The paper’s prose describes another run than its "
                                 "tables.",
                                 "One allocator for all threads, and blocks that one thread "
                                 "allocates and another frees, are not in the paper."}}}},
           .cards = {{.view = page_view::percentages,
                      .hint = "Each thread has a local allocator of its own; AS1 and AS2 are one "
                              "heap for all.",
                      .published = "benchmark4_as1_seconds_others_percent",
                      .rows = {"iterations", "block", "threads"},
                      .where = {{"form", "own"}}},
                     {.title = "Time by number of threads",
                      .hint =
                          "own: an allocator for each thread. shared: all threads allocate from "
                          "one object, the global heap (AS1), a synchronized multipool (sync), "
                          "or a multipool behind a mutex. handoff: one thread allocates, "
                          "another frees.",
                      .along = "threads",
                      .along_title = "Threads",
                      .measures = {"time"}}},
           .headlines = {multipool_gain("Contention", "among threads", "time", {{"form", "own"}})},
           .logarithms = {"iterations", "block"}},
  };
}

}  // namespace mallard::lab
