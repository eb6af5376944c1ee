#include "cli/series_layouts.hpp"

#include <cmath>

#include "lab/kernels/extended_work.hpp"

namespace mallard::cli {
namespace {

using lab::series_cell;

double number_at(const series_cell& cell, const char* name) {
  const auto found = cell.at.find(name);
  const auto* number = found == cell.at.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return number ? static_cast<double>(*number) : std::nan("");
}

double milliseconds_of(const series_cell& cell) {
  return median_of(cell, "time") * 1e3;
}
template <const char* Measure>
double mebibytes(const series_cell& cell) {
  return median_of(cell, Measure) / (1 << 20);
}

// How many containers grow in turn.
double containers_at_once(const series_cell& cell) {
  const auto form = cell.at.find("form");
  const bool among = form != cell.at.end() && lab::to_string(form->second) == "among";
  return among ? static_cast<double>(lab::growing_vectors) : 1;
}

// For each element of each container.
double per_element(const series_cell& cell) {
  return median_of(cell, "time") * 1e9 / number_at(cell, "elements") /
         number_at(cell, "iterations") / containers_at_once(cell);
}
double calls_of_one(const series_cell& cell) {
  return median_of(cell, "calls");
}
double success(const series_cell& cell) {
  return median_of(cell, "success");
}

// Of nodes.
double per_node_inserted(const series_cell& cell) {
  return median_of(cell, "insert") * 1e9 / number_at(cell, "elements");
}
double per_node_erased(const series_cell& cell) {
  return median_of(cell, "erase") * 1e9 / number_at(cell, "elements");
}

constexpr char rss[] = "rss";
constexpr char rss_after[] = "rss_after";
constexpr char in_use[] = "in_use_after_erase";
constexpr char rss_after_erase[] = "rss_after_erase";

const figure milliseconds = {"ms", milliseconds_of};
const figure resident = {"peak resident set, MiB", mebibytes<rss>};
const figure granted = {"part of the tries in place that succeeded", success, true};

// The benches of P0089R1 and of its slides.
std::vector<layout> local_allocators() {
  return {
      {"locality",
       {"links", "variant"},
       {"subsystem", "accesses", "shuffles"},
       across::strategies,
       "access_after",
       {{"ns per step, after shuffling",
         [](const series_cell& cell) {
           return median_of(cell, "access_after") / median_of(cell, "steps") * 1e9;
         }},
        {"degradation: walking after shuffling / before",
         [](const series_cell& cell) { return median_of(cell, "degradation"); }},
        {"bytes of resident memory per link",
         [](const series_cell& cell) { return median_of(cell, "bytes_per_node"); }}}},
      {"utilization",
       {},
       {"total", "active", "block"},
       across::strategies,
       "time",
       {{"ns per block",
         [](const series_cell& cell) {
           const double log2 = number_at(cell, "total") - number_at(cell, "block");
           return median_of(cell, "time") * 1e9 / std::exp2(log2);
         }},
        resident}},
      {"contention",
       {"form"},
       {"iterations", "block", "threads"},
       across::strategies,
       "time",
       {{"ns per allocation of a thread",
         [](const series_cell& cell) {
           return median_of(cell, "time") * 1e9 / std::exp2(number_at(cell, "iterations"));
         }}}},
      {"false-sharing", {}, {"form"}, across::threads, "time", {milliseconds}},
  };
}

// Arrays that grow in place, bursts, pools.
std::vector<layout> extended_allocators() {
  const figure element = {"ns per element", per_element};
  const figure calls = {"allocator calls per container", calls_of_one};
  const figure inserted = {"ns per node inserted", per_node_inserted};
  const figure erased = {"ns per node erased", per_node_erased};
  const std::vector<const char*> containers = {"elements", "iterations"};
  return {
      {"expand-forward",
       {"form", "type"},
       containers,
       across::libraries,
       "time",
       {element, calls, granted}},
      {"expand-backward",
       {"type"},
       containers,
       across::libraries,
       "time",
       {element, calls, granted}},
      {"shrink",
       {"type"},
       containers,
       across::libraries,
       "time",
       {element, granted, {"resident set afterwards, MiB", mebibytes<rss_after>}}},
      {"realloc",
       {"step"},
       {"bytes"},
       across::libraries,
       "time",
       {milliseconds,
        {"times moved", [](const series_cell& cell) { return median_of(cell, "moved"); }},
        granted}},
      {"burst",
       {"container"},
       {"range", "elements"},
       across::libraries,
       "insert",
       {inserted, erased}},
      {"adaptive-pool",
       {},
       {"range", "elements"},
       across::libraries,
       "insert",
       {inserted,
        erased,
        {"overhead of a node, part of its size",
         [](const series_cell& cell) { return median_of(cell, "overhead"); }},
        {"in use after erasing all, MiB", mebibytes<in_use>},
        {"resident set after erasing all, MiB", mebibytes<rss_after_erase>}}},
      {"mixed", {}, {"live", "low", "high"}, across::libraries, "time", {milliseconds, resident}},
  };
}

}  // namespace

const std::vector<layout>& known_layouts() {
  static const std::vector<layout> all = [] {
    std::vector<layout> joined = local_allocators();
    const std::vector<layout> more = extended_allocators();
    joined.insert(joined.end(), more.begin(), more.end());
    return joined;
  }();
  return all;
}

}  // namespace mallard::cli
