// Benchmark I: building and dropping containers.
#include <fmt/format.h>

#include <algorithm>

#include "lab/kernels/container_run.hpp"
#include "lab/kernels/strategy_bench.hpp"
#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

constexpr int min_size = 4;  // log2 of the outer container
constexpr int max_size = 20;
// A limit for the caller's buffer, the size of the original's.
constexpr std::uint64_t max_buffer_bytes = std::uint64_t{1} << 30;

const structure& structure_named(std::string_view option, std::string_view name) {
  const structure* found =
      find_structure(name.starts_with("DS") ? std::string(name) : fmt::format("DS{}", name));
  if (!found) unknown_value(option, name, "1 to 12, all");
  return *found;
}

// Parses "all", or numbers and names such as "1,DS4,9-12".
std::vector<place> read_structures(std::string_view option, std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& item : split_list(text == "all" ? "1-12" : text)) {
    const auto dash = item.find('-');
    const int first = structure_named(option, std::string_view(item).substr(0, dash)).number;
    const int last = dash == item.npos
                         ? first
                         : structure_named(option, std::string_view(item).substr(dash + 1)).number;
    if (last < first) {
      throw usage_error(fmt::format("{}: '{}' is a range from high to low", option, item));
    }
    for (int number = first; number <= last; ++number) {
      const std::string name = fmt::format("DS{}", number);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return places_along("ds", names);
}

axis structures_axis() {
  axis made = words("ds", {}, "all", "Data structures, like 1,2,9-12");
  made.read = read_structures;
  return made;
}

axis sizes_axis() {
  axis made = integers("size", "6,10,14",
                       fmt::format("log2 of the outer container, {} to {}", min_size, max_size),
                       min_size, max_size);
  made.name = "sizes";
  return made.quickly("6,8,10");
}

const structure& structure_at(const place& at) {
  return structure_named("ds", at.word("ds"));
}

std::uint64_t leaves_per_run(const place& at) {
  return power_of(at, "size") * structure_at(at).leaves_per_element();
}

// The size of the caller's buffer: more than one run needs with any of the resources.
std::uint64_t buffer_bytes(const place& at) {
  // Twice the largest string or node with its share of the containers, and a reserve for small
  // pools whose chunks grow geometrically. Untouched pages cost nothing.
  const std::uint64_t bytes_per_leaf = structure_at(at).strings ? 2400 : 128;
  const std::uint64_t spare = 8ULL << 20;
  return std::min(max_buffer_bytes, spare + leaves_per_run(at) * bytes_per_leaf);
}

// Whether a cell calls malloc while it is timed. Ours never do, nor does a monotonic resource with
// room in its buffer.
bool allocates_from_heap(const contender& who, const strategy& how) {
  return who.peer != "mallard" && !how.callers_buffer;
}

bool as_the_paper(const place& at) {
  return at.number("paper") != 0;
}

task task_of(const contender& who, const place& at) {
  const strategy* how = find_strategy(who.strategy);
  if (!how) return {};
  container_run what;
  what.paper = as_the_paper(at);
  what.run = find_container_kernel(structure_at(at).number, *how, who.peer,
                                   what.paper ? fairness::paper : fairness::fair);
  if (!what.run) return {};
  what.outer_elements = power_of(at, "size");
  what.leaves_per_run = leaves_per_run(at);
  what.leaves = count_of(at, "leaves");
  what.seed = count_of(at, "seed");
  what.uses_heap = who.heap == "aged" && allocates_from_heap(who, *how);
  if (how->callers_buffer) what.buffer_bytes = what.paper ? max_buffer_bytes : buffer_bytes(at);
  task made;
  made.run = [](const void* bytes, const circumstances& around, readings& taken) {
    build_and_drop(*static_cast<const container_run*>(bytes), around, taken);
  };
  made.work = bytes_of(what);
  made.prepares_itself = true;
  made.as_the_original = what.paper;
  // The original measures all strategies but AS1 and AS2 on a clean heap, whatever the heap of
  // those two.
  if (what.paper && how->what != mechanism::global) made.heap = "clean";
  return made;
}

double expected_seconds(const place& at) {
  const double leaf = structure_at(at).strings ? 150e-9 : 20e-9;
  const auto of_run = static_cast<double>(leaves_per_run(at));
  return leaf * (std::max(at.real("leaves"), of_run) + of_run);
}

}  // namespace

bench make_density() {
  rivals_of rivals = strategies_of("AS1-AS14,AS3n-AS6n", "AS1-AS14");
  rivals.quick_others = "AS2,AS3,AS5,AS7,AS9";
  rivals.quick_heaps = "clean,aged";
  return {
      .name = "density",
      .summary = "Benchmark I: building and dropping containers",
      .title = "Density: build, use, drop",
      .contenders = std::move(rivals),
      .axes = {structures_axis(), sizes_axis(),
               counts("leaves", "2^27", "Leaf insertions of a cell, as the paper has them", 1,
                      std::uint64_t{1} << 40)
                   .scaled()
                   .parameter(),
               flag("paper", "The original's choices, unfair ones included")},
      .kernel = task_of,
      .measures = {time_measure(),
                   peak_measure(),
                   {"base_rss", "B", "Resident before the first allocation"},
                   {"minor_faults", "count", "Page faults without reading"},
                   {"major_faults", "count", "Page faults with reading"},
                   {"setup", "s", "Mapping the buffer and warming up"},
                   {"runs", "count", "Containers built and dropped"}},
      .figures = {{.title = "ns per leaf insertion", .measure = "time", .scale = 1e9}},
      .table = {.tables = {"ds"}, .rows = {"size"}},
      .expected_seconds = expected_seconds,
      .scaled = "paper's 2^27 leaf insertions per cell",
      .usual_scale = "1/64",
      .quick_scale = "1/1024",
      .page =
          {.section =
               {.text = "Benchmark I: containers are built, lightly used and dropped, again and "
                        "again.",
                .order = 10,
                .method =
                    {{.title = "A cell of a data structure",
                      .paragraphs =
                          {"The container is built, lightly used and destroyed again and again "
                           "until a fixed number of leaf elements has been inserted, so that "
                           "cells of all sizes do comparable work."}},
                     {.title = "Conditions of the published tables",
                      .paragraphs =
                          {"The published figures of AS1 and AS2 were taken on a heap that had "
                           "been scrambled on purpose just before; those of AS3 to AS14 on a "
                           "clean one. A run on the same machine without scrambling shows much "
                           "smaller differences, and the global heap ahead of the multipool in "
                           "several structures. The speed-ups in the published tables therefore "
                           "compare two different conditions. Compare the clean and the aged "
                           "heap here.",
                           "In DS4, DS8 and DS12 the original’s strings with a custom allocator "
                           "used a hash whose value the containers did not store, so that long "
                           "strings were hashed again and again; those of AS1 did not. Most of "
                           "the cost ascribed to virtual calls there is probably this. Fair "
                           "mode gives all strings the same hash.",
                           "Each published figure is a single run without repetition."}}}}},
  };
}

}  // namespace mallard::lab
