#include "lab/results/observation.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "lab/results/derived.hpp"

namespace mallard::lab {
namespace {

std::optional<std::int64_t> number(const place& at, const std::string& name) {
  const auto found = at.find(name);
  if (found == at.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  return value ? std::optional(*value) : std::nullopt;
}

bool is_power_of_two(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

// A subsystem's size is a logarithm, to the base of which the number of links is a power.
std::int64_t subsystems(std::int64_t links, std::int64_t exponent) {
  const std::int64_t base = is_power_of_two(links) ? 2 : 10;
  for (; exponent > 0 && links > 0; --exponent) links /= base;
  return links;
}

place derive(const place& at, unsigned cores) {
  place derived;
  const auto links = number(at, "links");
  const auto subsystem = number(at, "subsystem");
  if (links && subsystem) derived["subsystems"] = subsystems(*links, *subsystem);
  const auto threads = number(at, "threads");
  if (threads && cores > 0) {
    const auto available = static_cast<std::int64_t>(cores);
    derived["threads_per_core"] = (*threads + available - 1) / available;
  }
  return derived;
}

figure divide(const figure& one, double by) {
  return {one.median / by, one.low / by, one.high / by};
}

void derive_figures(observation& one) {
  const auto ratio = [&](std::string_view above, std::string_view below, const char* name) {
    const figure* a = one.figure_of(above);
    const figure* b = one.figure_of(below);
    if (!a || !b || !(b->low > 0)) return;
    one.figures[name] = {a->median / b->median, a->low / b->high, a->high / b->low};
  };
  ratio("insert", "erase", "insert_over_erase");
  ratio("end_dynamic", "peak_dynamic", "kept");
  const auto elements = number(one.at, "elements");
  if (!elements || *elements <= 0) return;
  const auto count = static_cast<double>(*elements);
  if (const figure* in_use = one.figure_of("in_use_after_erase")) {
    one.figures["in_use_per_element"] = divide(*in_use, count);
  }
  const auto iterations = number(one.at, "iterations");
  const figure* time = one.figure_of("time");
  if (!time || !iterations || *iterations <= 0) return;
  one.figures["per_element"] =
      divide(*time, count * static_cast<double>(*iterations) * containers_at_once(one.at));
}

std::string power_text(std::int64_t value) {
  if (value >= 1024 && is_power_of_two(value)) {
    return fmt::format("2^{}", std::countr_zero(static_cast<std::uint64_t>(value)));
  }
  return std::to_string(value);
}

}  // namespace

const coordinate* observation::find(std::string_view name) const {
  for (const place* all : {&at, &derived}) {
    const auto found = all->find(name);
    if (found != all->end()) return &found->second;
  }
  return nullptr;
}

const figure* observation::figure_of(std::string_view measure) const {
  const auto found = figures.find(measure);
  return found == figures.end() ? nullptr : &found->second;
}

std::vector<observation> observe(std::span<const cell_result> cells, unsigned cores) {
  std::vector<observation> seen;
  seen.reserve(cells.size());
  for (const cell_result& cell : cells) {
    observation one{.bench = cell.bench,
                    .strategy = cell.strategy,
                    .peer = cell.peer,
                    .heap = cell.heap,
                    .at = cell.at,
                    .derived = derive(cell.at, cores),
                    .error = cell.error,
                    .figures = {}};
    one.at["malloc"] = cell.malloc;
    for (const auto& [name, measured] : cell.measures) {
      one.figures[name] = {measured.median, measured.ci_low, measured.ci_high};
    }
    derive_figures(one);
    seen.push_back(std::move(one));
  }
  return seen;
}

std::vector<observation> observe(const result_file& file) {
  return observe(file.cells, file.run.machine.cores);
}

std::string place_text(const observation& cell) {
  std::string text;
  for (const auto& [name, value] : cell.at) {
    if (name == "malloc" && to_string(value) == "glibc") continue;
    text += text.empty() ? "at " : ", ";
    const auto* exact = std::get_if<std::int64_t>(&value);
    text += fmt::format("{} {}", name, exact ? power_text(*exact) : to_string(value));
  }
  return text;
}

}  // namespace mallard::lab
