// The cells of density in files of schema 1.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"
#include "lab/results/cell_json.hpp"

namespace mallard::lab {
namespace {

void check_figures(const measure& time) {
  const auto positive = [](double value) { return value > 0; };
  if (!std::all_of(time.samples.begin(), time.samples.end(), positive) || !positive(time.median) ||
      !positive(time.ci_low) || time.ci_high < time.ci_low) {
    throw std::runtime_error("times must be positive and in order");
  }
}

// Seconds for that many leaf insertions.
measure read_time(const json& object) {
  measure time;
  time.unit = "s";
  time.samples = required<std::vector<double>>(object, "seconds");
  time.median = required<double>(object, "median");
  time.ci_low = required<double>(object, "ci_low");
  time.ci_high = required<double>(object, "ci_high");
  if (time.samples.empty()) throw std::runtime_error("'seconds' is empty");
  check_figures(time);
  const auto leaves = static_cast<double>(required<std::uint64_t>(object, "leaves"));
  if (!(leaves > 0)) throw std::runtime_error("'leaves' must be positive");
  for (double* one : {&time.median, &time.ci_low, &time.ci_high}) *one /= leaves;
  for (double& one : time.samples) one /= leaves;
  return time;
}

void add(cell_result& cell, const json& object, const char* member, const char* name,
         const char* unit) {
  if (!object.contains(member)) return;
  const auto samples = required<std::vector<double>>(object, member);
  if (!samples.empty()) cell.measures[name] = summarise(unit, samples, 1);
}

}  // namespace

cell_result read_first_density_cell(const json& object, const std::string& malloc) {
  cell_result cell;
  cell.bench = required<std::string>(object, "bench");
  const auto ds = required<std::string>(object, "ds");
  cell.at = {{"ds", ds}, {"size", required<std::int64_t>(object, "size")}};
  cell.strategy = required<std::string>(object, "strategy");
  cell.peer = required<std::string>(object, "peer");
  cell.heap = required<std::string>(object, "heap");
  cell.malloc = malloc;
  if (!find_structure(ds)) throw std::runtime_error(fmt::format("unknown data structure '{}'", ds));
  if (!find_strategy(cell.strategy)) {
    throw std::runtime_error(fmt::format("unknown strategy '{}'", cell.strategy));
  }
  if (!read_status(object, cell.error)) return cell;
  cell.measures["time"] = read_time(object);
  add(cell, object, "setup_seconds", "setup", "s");
  add(cell, object, "rss_bytes", "rss", "B");
  add(cell, object, "base_rss_bytes", "base_rss", "B");
  add(cell, object, "minor_faults", "minor_faults", "count");
  add(cell, object, "major_faults", "major_faults", "count");
  const auto runs = static_cast<double>(required<std::uint64_t>(object, "runs"));
  cell.measures["runs"] = {"count", {runs}, runs, runs, runs};
  cell.checksum = required<std::string>(object, "checksum");
  return cell;
}

}  // namespace mallard::lab
