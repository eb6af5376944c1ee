#include "lab/bench/cells_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace mallard::lab {
namespace {

cell_result empty_cell(const bench& what, const planned_place& where, const contender& who,
                       std::int64_t part) {
  cell_result cell;
  cell.bench = what.name;
  cell.at = where.key;
  cell.strategy = who.strategy;
  cell.peer = who.peer;
  cell.heap = who.heap;
  cell.malloc = who.malloc;
  if (part == reading::whole) return cell;
  if (!what.parts.series.empty()) cell.bench = what.parts.series;
  cell.at[what.parts.name] = what.parts.value(part);
  return cell;
}

// The parts that must be there if nothing fails.
std::vector<std::int64_t> expected_parts(const bench& what, const planned_place& where) {
  if (!what.parts.expected) return {reading::whole};
  return what.parts.expected(where.all);
}

std::string unit_of(const bench& what, std::string_view measure) {
  const measure_kind* found = find_measure(what.measures, measure);
  return found ? found->unit : "";
}

}  // namespace

void measured_place::add(outcome one) {
  if (!one.ok()) {
    error = one.error;
  } else if (!repetitions.empty() && repetitions.front().checksum != one.checksum) {
    error = "the checksum differs between repetitions";
  } else {
    repetitions.push_back(std::move(one));
  }
}

std::vector<cell_result> cells_of(const bench& what, const planned_place& where,
                                  const contender& who, const measured_place& taken,
                                  std::uint64_t seed) {
  std::vector<cell_result> cells;
  if (!taken.error.empty()) {
    for (const std::int64_t part : expected_parts(what, where)) {
      cells.push_back(empty_cell(what, where, who, part));
      cells.back().error = taken.error;
    }
    return cells;
  }
  // By part and measure: the samples in the order of the repetitions.
  std::map<std::int64_t, std::map<std::string, std::vector<double>>> samples;
  for (const outcome& one : taken.repetitions) {
    const bool is_first = &one == &taken.repetitions.front();
    for (const reading& read : one.taken) {
      const bool of_series = read.part != reading::whole && !what.parts.expected;
      if (of_series && !is_first) continue;
      samples[read.part][std::string(read.what())].push_back(read.value);
    }
  }
  for (auto& [part, measures] : samples) {
    cells.push_back(empty_cell(what, where, who, part));
    const std::uint64_t checksum = taken.repetitions.front().checksum;
    if (checksum != 0) cells.back().checksum = fmt::format("{:016x}", checksum);
    for (auto& [name, values] : measures) {
      cells.back().measures[name] = summarise(unit_of(what, name), std::move(values), seed);
    }
  }
  return cells;
}

bool is_finished(const bench& what, const planned_place& where, const contender& who,
                 const std::set<cell_key>& done) {
  const auto parts = expected_parts(what, where);
  return std::all_of(parts.begin(), parts.end(), [&](std::int64_t part) {
    return done.contains(empty_cell(what, where, who, part).key());
  });
}

void compare_checksums(std::vector<cell_result>& cells, const std::vector<cell_result>& others) {
  using where = std::pair<std::string, place>;
  std::map<where, std::map<std::string, std::size_t>> votes;
  for (const std::vector<cell_result>* some : {&others, &std::as_const(cells)}) {
    for (const cell_result& cell : *some) {
      if (cell.ok() && !cell.checksum.empty()) ++votes[{cell.bench, cell.at}][cell.checksum];
    }
  }
  for (cell_result& cell : cells) {
    if (!cell.ok() || cell.checksum.empty()) continue;
    const auto& counts = votes[{cell.bench, cell.at}];
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (cell.checksum == most->first) continue;
    cell.error =
        fmt::format("the checksum {} differs from the others' {}", cell.checksum, most->first);
    cell.measures.clear();
  }
}

}  // namespace mallard::lab
