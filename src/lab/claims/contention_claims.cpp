// Benchmark IV: what P0089R1, section 10, the slides and the talk say of many threads allocating at
// once, in our own words. Only as many threads as the machine has cores count.
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {
namespace {

constexpr std::string_view bound_statically =
    "The original called a local object by its name, so its calls “by abstract base” were bound "
    "statically. Ours are virtual.";
constexpr std::string_view low =
    "The published figures are the mean of the 3rd and 4th smallest of 7 samples, all strategies "
    "one after another in one process, the global heap first.";
constexpr std::string_view two_runs =
    "Section 10's prose describes another run than its tables, which show 91 % here.";

const condition own = {"form", {.words = {"own"}}};
const condition shared = {"form", {.words = {"shared"}}};
const condition a_core_each = {"threads_per_core", {.first = 1, .last = 1}};

condition threads(std::int64_t first, std::int64_t last = no_limit) {
  return {"threads", {.first = first, .last = last}};
}

comparison times(std::string_view label, names left, names right, double at_least,
                 double at_most = any, over what = over::all, conditions_of more = {}) {
  comparison made = compared("contention", label, std::move(left), std::move(right), at_least,
                             at_most, {own, a_core_each}, more);
  made.what = what;
  return made;
}

// From one thread to several, each with a core of its own.
comparison with_threads(comparison what) {
  what.along = "threads";
  what.at = {.first = 2};
  what.base = {.first = 1, .last = 1};
  return what;
}

// One allocator for all threads against one each.
comparison shared_against_own(std::string_view label, names left, names right) {
  return {.label = label,
          .left = std::move(left),
          .right = std::move(right),
          .at_least = 1,
          .bench = "contention",
          .where = {a_core_each, threads(2)},
          .left_at = {shared},
          .right_at = {own}};
}

}  // namespace

std::vector<claim> contention_claims() {
  return {
      {"IV-1",
       "10",
       "Every strategy with a multipool, one for each thread, is about four times as fast as the "
       "global heap",
       low,
       {times("AS1 / each strategy with a multipool", {"AS1"}, {"AS7", "AS9", "AS11", "AS13"}, 3.5,
              any, over::strategy)}},
      {"IV-2",
       "Benchmark IV",
       "Nothing that synchronizes can compete with allocators that need not: the multipool is "
       "faster than the global heap in every cell",
       "",
       {times("AS1 / AS7", {"AS1"}, {"AS7"}, 1, any, over::cell)},
       talk},
      {"IV-3",
       "10",
       "More threads do not make the global heap slower",
       "Each thread does the same number of iterations, and has a core of its own.",
       {with_threads(times("AS1, 2 threads and up / 1", {"AS1"}, {}, 0, 1.25))}},
      {"IV-4",
       "10",
       "More threads do not make local allocators slower",
       "Each thread does the same number of iterations, and has a core of its own.",
       {with_threads(times("each local strategy, 2 threads and up / 1",
                           {"AS3", "AS5", "AS7", "AS9", "AS11", "AS13"}, {}, 0, 1.25))}},
      {"IV-5",
       "10",
       "The gain of the multipool does not depend on the number of threads",
       "",
       {with_threads(times("AS1 / AS7, 2 threads and up / 1", {"AS1"}, {"AS7"}, 0.8, 1.5))}},
      {"IV-6",
       "10",
       "Direct access to a multipool (AS7) is the most consistent winner",
       "The paper's own tables do not tell the four multipool strategies apart.",
       {times("each other local strategy / AS7", {"AS3", "AS5", "AS9", "AS11", "AS13"}, {"AS7"},
              0.95, any, over::strategy)}},
      {"IV-7",
       "10",
       "The monotonic allocators are a poor choice: slower than the multipools",
       "",
       {times("AS3, AS5 / AS7, AS9", {"AS3", "AS5"}, {"AS7", "AS9"}, 1.5, any, over::strategy)}},
      {"IV-8",
       "10",
       "Monotonic allocators get worse the more memory is allocated (blocks of 2^8 against 2^6)",
       "",
       {{.label = "AS3, blocks of 2^8 / 2^6",
         .left = {"AS3"},
         .at_least = 1.2,
         .at = {.first = 8, .last = 8},
         .base = {.first = 6, .last = 6},
         .bench = "contention",
         .along = "block",
         .where = {own, a_core_each}}}},
      {"IV-9",
       "10",
       "Access through the abstract base costs local allocators nothing",
       bound_statically,
       {times("AS5, AS9, AS13 / AS3, AS7, AS11", {"AS5", "AS9", "AS13"}, {"AS3", "AS7", "AS11"},
              0.9, 1.1)}},
      {"IV-10",
       "10",
       "2^15 blocks of 2^6 bytes in one thread: the abstract base costs the global heap 74 %",
       two_runs,
       {times("AS2 / AS1, 2^15 blocks of 2^6, one thread", {"AS2"}, {"AS1"}, 1.5, any, over::all,
              {threads(1, 1),
               {"iterations", {.first = 15, .last = 15}},
               {"block", {.first = 6, .last = 6}}})}},
      {"IV-11",
       "Benchmark IV",
       "Beyond that, the abstract base costs the global heap nothing",
       bound_statically,
       {times("AS2 / AS1", {"AS2"}, {"AS1"}, 0.9, 1.1)},
       talk},
      {"IV-12",
       "Benchmark IV",
       "A multipool on a monotonic allocator has advantages over a multipool alone at some points",
       "",
       {some_cell(times("AS7 / AS11", {"AS7"}, {"AS11"}, 1.05))},
       talk},
      {"IV-13",
       "5.5",
       "Global allocators that guard against contention slow down those who need no guard: one "
       "thread is faster with a local multipool",
       "",
       {times("AS1 / AS7, one thread", {"AS1"}, {"AS7"}, 1, any, over::cell, {threads(1, 1)})}},
      {"IV-14",
       "Conclusion",
       "Local allocators side-step contention: one each is faster than one synchronized for all",
       "Judged with our synchronized multipool and a mutex around ours; the documents measure "
       "neither.",
       {shared_against_own("sync, shared / AS7, own", {"sync"}, {"AS7"}),
        shared_against_own("mutex, shared / AS7, own", {"mutex"}, {"AS7"})},
       slides},
      {"IV-15",
       "7.1",
       "All local strategies, monotonic alone included, are close to twice as fast as the global "
       "heap",
       "Said in passing in section 7.1; the paper's own tables do not bear it out of monotonic "
       "alone.",
       {times("AS1 / each local strategy", {"AS1"}, {"AS3", "AS5", "AS7", "AS9", "AS11", "AS13"},
              1.75, any, over::strategy)}},
      {"IV-16",
       "5.5",
       "Allocations by all threads from one synchronized allocator are a bottleneck: more threads "
       "take longer",
       "Judged with a mutex around our multipool; the documents measure none.",
       {{.label = "mutex, 2 threads and up / 1",
         .left = {"mutex"},
         .at_least = 1.25,
         .at = {.first = 2},
         .base = {.first = 1, .last = 1},
         .bench = "contention",
         .along = "threads",
         .where = {shared, a_core_each}}}},
  };
}

}  // namespace mallard::lab
