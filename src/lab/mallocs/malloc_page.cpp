#include "lab/mallocs/malloc_page.hpp"

#include <utility>

#include "lab/measuring/contender.hpp"

namespace mallard::lab::mallocs {

page_section mallocs_section() {
  return {
      .id = "malloc-benches",
      .name = "Malloc benches",
      .title = "Mallocs against each other",
      .text =
          "Churn, cache thrash, cache scratch, speed and memory are after the performance "
          "chapter of Zulfiqar’s thesis on llheap; axes are logarithmic as there, but for "
          "memory. Every process runs under one malloc. If there are more threads than "
          "cores, they wait for each other whatever the allocator.",
      .order = 80,
      .method = {{.title = "Mallocs against each other",
                  .paragraphs = {
                      "Each repetition is a process of its own that was started on that malloc. "
                      "The thesis’s curves are of machines with 96 and 128 cores and of "
                      "allocators of its time; its programs are not published, so they were "
                      "rewritten from its text. Its memory is address space; resident pages, "
                      "which the system really provides, are shown beside it here."}}}};
}

page_card lines_by_threads(std::vector<std::string> measures, std::string hint) {
  return {.hint = std::move(hint),
          .half = true,
          .along = "threads",
          .along_title = "Threads",
          .measures = std::move(measures)};
}

page_headline own_malloc_gain() {
  return {.title = "Our malloc over glibc’s, micro-benchmarks",
          .subject = "Our malloc has",
          .text = "the speed of glibc’s",
          .who = {.peer = std::string(global_peer), .malloc = "mallard"},
          .over = {.peer = std::string(global_peer), .malloc = "glibc"}};
}

bench_page page_by_threads(std::vector<std::string> measures, std::string hint) {
  return {.section = mallocs_section(),
          .cards = {lines_by_threads(std::move(measures), std::move(hint))},
          .headlines = {own_malloc_gain()}};
}

}  // namespace mallard::lab::mallocs
