#include "cli/whatif_results.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mallard::cli {
namespace {

constexpr const char* bench_name = "whatif";
constexpr std::uint64_t seed = 1;  // of intervals

void add(lab::cell_result& to, const char* name, const char* unit, std::vector<double> samples) {
  if (!samples.empty()) to.measures[name] = lab::summarise(unit, std::move(samples), seed);
}

void add_routes(lab::cell_result& to, const std::vector<whatif::route_outcome>& routes) {
  const auto add_sum = [&](const char* name, const char* unit,
                           std::uint64_t whatif::route_outcome::* figure) {
    double sum = 0;
    for (const whatif::route_outcome& one : routes) sum += static_cast<double>(one.*figure);
    add(to, name, unit, {sum});
  };
  add_sum("routed_blocks", "count", &whatif::route_outcome::blocks);
  add_sum("routed_bytes", "B", &whatif::route_outcome::bytes);
  add_sum("held", "B", &whatif::route_outcome::peak_bytes);
  add_sum("passed_on", "count", &whatif::route_outcome::passed_on);
  add_sum("resets", "count", &whatif::route_outcome::resets);
  add_sum("survivors", "count", &whatif::route_outcome::survivors);
}

// Returns the times that gains are made of: for routes without the hook's part.
std::vector<double> times(const whatif::whatif_outcome& of, const whatif::whatif_result& result) {
  const auto measured = result.by_processor_time ? &whatif::whatif_outcome::processor_seconds
                                                 : &whatif::whatif_outcome::seconds;
  if (of.routes.empty()) return (of.*measured).samples;
  std::vector<double> out;
  for (const double gain : of.gains) {
    out.push_back((result.outcomes.front().*measured).median / gain);
  }
  return out;
}

}  // namespace

std::vector<lab::cell_result> whatif_cells(const whatif::whatif_result& result,
                                           const std::string& program) {
  std::vector<lab::cell_result> all;
  for (const whatif::whatif_outcome& one : result.outcomes) {
    lab::cell_result cell;
    cell.bench = bench_name;
    cell.at = {{"program", program.substr(program.rfind('/') + 1)}};
    cell.strategy = "AS1";
    cell.peer = lab::global_peer;
    cell.heap = "clean";
    if (!one.routes.empty()) {
      cell.peer = "mallard";
      cell.strategy.clear();
      for (const whatif::route_outcome& route : one.routes) {
        cell.strategy +=
            fmt::format("{}{}={}", cell.strategy.empty() ? "" : " ", route.pattern, route.strategy);
      }
    } else if (one.is_control) {
      cell.strategy = "hook";
    } else if (&one != &result.outcomes[0]) {
      cell.malloc = one.variant;
    }
    if (one.runs == 0) {
      cell.error = one.remark.empty() ? "not run" : one.remark;
    } else {
      add(cell, "time", "s", times(one, result));
      add(cell, "processor", "s", one.processor_seconds.samples);
      add(cell, "elapsed", "s", one.seconds.samples);
      add(cell, "speed_up", "ratio", one.gains);
      add(cell, "rss", "B", one.resident_bytes.samples);
      add(cell, "page_faults", "count", one.page_faults.samples);
      if (!one.routes.empty()) add_routes(cell, one.routes);
    }
    all.push_back(std::move(cell));
  }
  return all;
}

lab::words_of_benches whatif_words() {
  lab::bench_words words;
  words.title = "What-if: a program with some of its blocks from a resource";
  words.summary = "A whole program, unmodified and with blocks of some functions from a resource";
  words.measures = {
      {"time", "s", "Time without the hook's cost"},
      {"processor", "s", "Processor time"},
      {"elapsed", "s", "Elapsed time"},
      {"speed_up", "ratio", "Speed-up over the unmodified program", lab::better::more},
      {"rss", "B", "Peak memory"},
      {"page_faults", "count", "Page faults"},
      {"routed_blocks", "count", "Routed blocks", lab::better::more},
      {"routed_bytes", "B", "Routed bytes", lab::better::more},
      {"held", "B", "Held at most by the routes' resources"},
      {"passed_on", "count", "Blocks passed on"},
      {"resets", "count", "Resets"},
      {"survivors", "count", "Blocks that outlive their scope"}};
  return {{bench_name, words}};
}

}  // namespace mallard::cli
