// The performance chapter of Zulfiqar's thesis on llheap: what it says of general-purpose
// allocators in its five micro-benchmarks, in our own words. Of the allocators that it names, those
// count that were measured here; only as many threads as the machine has cores count. The chapter
// has curves and no figures, so the bounds are ours.
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {
namespace {

constexpr std::string_view churn_section = "Churn";
constexpr std::string_view thrash_section = "Cache Thrash";
constexpr std::string_view scratch_section = "Cache Scratch";
constexpr std::string_view speed_section = "Speed";
constexpr std::string_view memory_section = "Memory";
constexpr std::string_view newer =
    "Judged with the versions measured here, newer than the chapter's.";
constexpr std::string_view not_packaged =
    "Systems do not package it: give --allocator NAME=PATH, with the chapter's name.";

// Those of the chapter, by the names that results have.
const names all_of_them = {"glibc",  "jemalloc", "tbbmalloc", "hoard",
                           "llheap", "rpmalloc", "dlmalloc",  "ptmalloc3"};
const names heap_per_thread = {"llheap", "jemalloc", "rpmalloc"};
const names sharing_heaps = {"glibc", "tbbmalloc", "hoard", "dlmalloc", "ptmalloc3"};
const names without_false_sharing = {"glibc", "jemalloc", "tbbmalloc",
                                     "hoard", "llheap",   "rpmalloc"};

const condition a_core_each = {"threads_per_core", {.first = 1, .last = 1}};
const condition per_thread = {"work", {.words = {"per-thread"}}};

condition under(names mallocs) {
  return {"malloc", {.words = std::move(mallocs)}};
}

condition chains(names words) {
  return {"chain", {.words = std::move(words)}};
}

// Each malloc's figures by themselves.
comparison by_malloc(comparison what) {
  what.what = over::value;
  what.by = "malloc";
  return what;
}

comparison figures(std::string_view bench, std::string_view label, names mallocs, double at_least,
                   double at_most, conditions_of more = {}) {
  return by_malloc(
      compared(bench, label, {"AS1"}, {}, at_least, at_most, {under(std::move(mallocs))}, more));
}

// Each allocator by itself, from one thread to several with a core each. Every thread does the
// same.
comparison with_threads(std::string_view bench, names mallocs, double at_least, double at_most,
                        conditions_of more = {}) {
  more.push_back(a_core_each);
  comparison what = figures(bench, "2 threads and up / 1", std::move(mallocs), at_least, at_most,
                            std::move(more));
  what.along = "threads";
  what.at = {.first = 2};
  what.base = {.first = 1, .last = 1};
  return what;
}

// Each of some allocators against one.
comparison against(std::string_view bench, std::string_view label, names mallocs,
                   std::string_view one, double at_least, double at_most,
                   conditions_of where = {}) {
  comparison what =
      by_malloc(compared(bench, label, {"AS1"}, {}, at_least, at_most, std::move(where)));
  what.along = "malloc";
  what.at = {.words = std::move(mallocs)};
  what.base = {.words = {one}};
  return what;
}

// The slowest of some allocators over the fastest of them.
comparison spread(std::string_view bench, std::string_view label, names mallocs, double at_least,
                  double at_most, conditions_of more = {}) {
  more.push_back(a_core_each);
  comparison what = figures(bench, label, std::move(mallocs), at_least, at_most, std::move(more));
  what.what = over::all;
  what.spread = "malloc";
  return what;
}

// The same chain with calloc in place of malloc.
comparison calloc_over_malloc(comparison what, std::string_view calloc, std::string_view malloc) {
  what.right = {"AS1"};
  what.left_at = {chains({calloc})};
  what.right_at = {chains({malloc})};
  return what;
}

std::vector<claim> false_sharing_by_allocators() {
  return {
      {"MB-3",
       thrash_section,
       "Most allocators cause little or no false sharing of their own: more threads take no longer",
       newer,
       {with_threads("thrash", without_false_sharing, 0, 1.25, {per_thread})},
       chapter},
      {"MB-4",
       thrash_section,
       "One heap for all threads (dlmalloc) puts objects of different threads on one cache line",
       not_packaged,
       {with_threads("thrash", {"dlmalloc"}, 1.5, any, {per_thread})},
       chapter},
      {"MB-5",
       thrash_section,
       "… and a few heaps shared by all (ptmalloc3) do so less often",
       not_packaged,
       {against("thrash", "dlmalloc / ptmalloc3, 2 threads and up", {"dlmalloc"}, "ptmalloc3", 1.1,
                any, {per_thread, a_core_each, {"threads", {.first = 2}}})},
       chapter},
      {"MB-6",
       scratch_section,
       "llheap, jemalloc and rpmalloc do not preserve the false sharing of a program: more threads "
       "take no longer",
       newer,
       {with_threads("scratch", heap_per_thread, 0, 1.25, {per_thread})},
       chapter},
      {"MB-7",
       scratch_section,
       "… and hardly differ from each other",
       newer,
       {spread("scratch", "slowest / fastest of them", heap_per_thread, 0, 1.15, {per_thread})},
       chapter},
      {"MB-8",
       scratch_section,
       "The others share heaps among threads at some level, and preserve it",
       newer,
       {with_threads("scratch", sharing_heaps, 1.5, any, {per_thread})},
       chapter},
      {"MB-9",
       scratch_section,
       "Hoard is the slowest of all",
       not_packaged,
       {against("scratch", "other / hoard, 2 threads and up",
                {"glibc", "jemalloc", "tbbmalloc", "llheap", "rpmalloc", "dlmalloc", "ptmalloc3"},
                "hoard", 0, 1, {per_thread, a_core_each, {"threads", {.first = 2}}})},
       chapter},
      {"MB-10",
       scratch_section,
       "glibc and Hoard do not produce false sharing, but preserve a program's",
       newer,
       {with_threads("thrash", {"glibc", "hoard"}, 0, 1.25, {per_thread}),
        with_threads("scratch", {"glibc", "hoard"}, 1.5, any, {per_thread})},
       chapter},
  };
}

std::vector<claim> speed_by_chains() {
  const names good = {"glibc", "jemalloc", "tbbmalloc", "llheap", "rpmalloc"};
  return {
      {"MB-11",
       speed_section,
       "Setting memory to zero dominates the time of calloc",
       newer,
       {calloc_over_malloc(
            of_measure(figures("speed", "calloc / malloc", all_of_them, 1.2, any), "time"),
            "calloc", "malloc"),
        calloc_over_malloc(
            of_measure(figures("speed", "calloc-free / malloc-free", all_of_them, 1.2, any),
                       "time"),
            "calloc-free", "malloc-free")},
       chapter},
      {"MB-12",
       speed_section,
       "… and so levels the differences between allocators",
       newer,
       {calloc_over_malloc(spread("speed", "spread with calloc / with malloc", all_of_them, 0, 1),
                           "calloc", "malloc"),
        calloc_over_malloc(
            spread("speed", "spread with calloc-free / malloc-free", all_of_them, 0, 1),
            "calloc-free", "malloc-free")},
       chapter},
      {"MB-13",
       speed_section,
       "In all chains the time of most allocators does not rise with the number of threads",
       newer,
       {with_threads("speed", good, 0, 1.25)},
       chapter},
      {"MB-14",
       speed_section,
       "dlmalloc, ptmalloc3 and Hoard share heaps, and get slower with more threads",
       not_packaged,
       {with_threads("speed", {"dlmalloc", "ptmalloc3", "hoard"}, 1.5, any)},
       chapter},
      {"MB-15",
       speed_section,
       "No peaks of latency as chains get longer: a call in a chain of three takes no longer than "
       "in the chains of one",
       "A call of malloc-realloc-free against one of realloc, the dearest of the three.",
       {calloc_over_malloc(
           of_measure(figures("speed", "malloc-realloc-free / realloc, per call", good, 0, 1.1),
                      "per_op"),
           "malloc-realloc-free", "realloc")},
       chapter},
  };
}

std::vector<claim> memory_over_time() {
  return {
      {"MB-16",
       memory_section,
       "Hoard, jemalloc, ptmalloc3 and rpmalloc take all memory by mmap and none in the heap area",
       newer,
       {of_measure(figures("memory-series", "bytes of the heap area (1: none)",
                           {"hoard", "jemalloc", "ptmalloc3", "rpmalloc"}, 0, 4096),
                   "heap", 1)},
       chapter},
      {"MB-17",
       memory_section,
       "Hoard and tbbmalloc take more memory than the others, by their superblocks",
       newer,
       {of_measure(against("memory", "other / tbbmalloc, most address space",
                           {"glibc", "jemalloc", "llheap", "rpmalloc", "dlmalloc", "ptmalloc3"},
                           "tbbmalloc", 0, 0.95),
                   "peak_dynamic")},
       chapter},
      {"MB-18",
       memory_section,
       "All but ptmalloc3 keep what they took when the program has freed everything",
       "Address space, as in the chapter. Pages may have been given back all the same: the "
       "resident "
       "set tells.",
       {of_measure(
           figures("memory", "at the end / at most, address space",
                   {"glibc", "jemalloc", "tbbmalloc", "hoard", "llheap", "rpmalloc", "dlmalloc"},
                   0.95, any),
           "kept")},
       chapter},
      {"MB-19",
       memory_section,
       "… ptmalloc3 gives it back while the program frees",
       not_packaged,
       {of_measure(figures("memory", "at the end / at most, address space", {"ptmalloc3"}, 0, 0.8),
                   "kept")},
       chapter},
  };
}

}  // namespace

std::vector<claim> malloc_bench_claims() {
  std::vector<claim> all = {
      {"MB-1",
       churn_section,
       "All allocators but dlmalloc are about equally fast",
       newer,
       {spread("churn", "slowest / fastest of them",
               {"glibc", "jemalloc", "tbbmalloc", "hoard", "llheap", "rpmalloc", "ptmalloc3"}, 0,
               1.5)},
       chapter},
      {"MB-2",
       churn_section,
       "jemalloc is the fastest, by a small margin",
       newer,
       {against("churn", "other / jemalloc",
                {"glibc", "tbbmalloc", "hoard", "llheap", "rpmalloc", "dlmalloc", "ptmalloc3"},
                "jemalloc", 1, 1.5, {a_core_each})},
       chapter},
  };
  for (const auto& part : {false_sharing_by_allocators(), speed_by_chains(), memory_over_time()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace mallard::lab
