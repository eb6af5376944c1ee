#include "cli/rivals_grid.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/units.hpp"
#include "cli/terminal.hpp"
#include "cli/text_table.hpp"
#include "lab/measuring/statistics.hpp"

namespace mallard::cli {
namespace {

constexpr std::size_t figure_width = 7;
constexpr std::size_t name_width = 18;
// With more columns, the ratios do not fit beside the figures.
constexpr std::size_t most_beside = 5;

}  // namespace

void rivals_grid::add(const std::string& malloc, const label& column, std::optional<double> value) {
  rows_[malloc][column] = value;
  std::optional<double>& best = best_[column];
  if (!value || *value <= 0) return;
  if (!best || (*value < *best) != more_is_better_) best = value;
}

std::optional<double> rivals_grid::ratio(const label& column, std::optional<double> value) const {
  const std::optional<double>& best = best_.at(column);
  if (!value || *value <= 0 || !best) return std::nullopt;
  return more_is_better_ ? *best / *value : *value / *best;
}

std::vector<std::string> rivals_grid::figures_of(const row& entries) const {
  std::vector<std::string> cells;
  for (const auto& best : best_) {
    const auto found = entries.find(best.first);
    const bool there = found != entries.end();
    cells.push_back(!there ? "" : found->second ? base::figure_text(*found->second) : "FAIL");
  }
  return cells;
}

std::vector<std::string> rivals_grid::ratios_of(const row& entries, bool with_mean,
                                                bool colour) const {
  std::vector<std::string> cells;
  std::vector<double> all;
  for (const auto& best : best_) {
    const auto found = entries.find(best.first);
    if (found == entries.end()) {
      cells.emplace_back();
      continue;
    }
    const std::optional<double> times = ratio(best.first, found->second);
    if (times) all.push_back(*times);
    const std::string shown = times ? base::figure_text(*times) : "-";
    // Red is three times as bad, or worse.
    cells.push_back(times && colour ? on_heat(shown, std::log(*times) / std::log(3.0)) : shown);
  }
  if (with_mean) {
    cells.push_back(all.empty() ? "-" : base::figure_text(lab::geometric_mean(all)));
  }
  return cells;
}

std::string rivals_grid::text(const std::vector<std::string>& names, bool with_mean,
                              bool colour) const {
  const bool beside = best_.size() <= most_beside;
  std::vector<text_table::column> figure_heads = {{head_, text_table::left, name_width}};
  std::vector<text_table::column> ratio_heads = {{"times the best", text_table::left, name_width}};
  for (const auto& best : best_) {
    figure_heads.push_back({best.first.text, text_table::right, figure_width});
    ratio_heads.push_back(figure_heads.back());
  }
  if (with_mean) ratio_heads.push_back({"g.mean", text_table::right, figure_width});
  if (beside) {
    figure_heads.push_back({"|", text_table::right, 2});
    figure_heads.insert(figure_heads.end(), ratio_heads.begin() + 1, ratio_heads.end());
  }
  text_table figures(std::move(figure_heads)), ratios(std::move(ratio_heads));
  for (const std::string& name : names) {
    const auto found = rows_.find(name);
    if (found == rows_.end()) continue;
    std::vector<std::string> line = {name}, times = {name};
    for (std::string& cell : figures_of(found->second)) line.push_back(std::move(cell));
    for (std::string& cell : ratios_of(found->second, with_mean, colour)) {
      times.push_back(std::move(cell));
    }
    if (beside) {
      line.emplace_back("|");
      line.insert(line.end(), times.begin() + 1, times.end());
    } else {
      ratios.add(std::move(times));
    }
    figures.add(std::move(line));
  }
  return figures.text(false) + (beside ? "" : ratios.text(false));
}

}  // namespace mallard::cli
